import type { CountTokensRequest } from '../../contract/tokens.ts'
import type { WireRequest } from '../../wire/wire.ts'

/** How a provider is asked to count. Credentials are put on by the house. */
export type Counter = {
  encode(input: CountRequest, target: CountTarget): WireRequest
  /** Undefined when the answer tells no number. */
  decode(answer: unknown): unknown
}

export type CountRequest = {
  request: CountTokensRequest
  /** What the caller sent as `anthropic-beta`. */
  betas?: string | undefined
}

export type CountTarget = { baseUrl: string; model: string }

export function post(url: string, body: object, headers: Record<string, string> = {}): WireRequest {
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}
