import type { CountTokensRequest } from '../../../contract/tokens.ts'
import type { WireRequest } from '../../../translation/wire/wire.ts'

/** How a provider counts tokens. The caller adds the credential. */
export type Counter = {
  encode(input: CountRequest, target: CountTarget): WireRequest
  /** Undefined if the answer contains no number. */
  decode(answer: unknown): unknown
}

export type CountRequest = {
  request: CountTokensRequest
  /** The caller's `anthropic-beta` header. */
  betas?: string | undefined
  /** The original, if the caller uses the Gemini format: Google counts all of it. */
  gemini?: Record<string, unknown> | undefined
  /** The original for a provider, if the caller uses the responses format: OpenAI counts all of it. */
  responses?: ((provider: string) => Record<string, unknown>) | undefined
}

type CountTarget = { provider?: string; baseUrl: string; model: string }

export function post(url: string, body: object, headers: Record<string, string> = {}): WireRequest {
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}
