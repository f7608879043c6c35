import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireResponse } from '../wire/wire.ts'
import type { ChatCodec } from '../dialects/chat-codec.ts'
import { readText } from '../net/read-text.ts'
import { MAX_ERROR_BYTES } from '../wire/upstream-problem.ts'

/** Reads an answer with an error status. */
export async function readProblem(codec: ChatCodec, response: WireResponse): Promise<UpstreamProblem> {
  const text = await readText(response.body, MAX_ERROR_BYTES).catch(() => '')
  const problem = codec.problem(response.status, text, response.headers)
  problem.retryAfterSeconds ??= readRetryAfter(response.headers['retry-after'])
  return problem
}

/** Reads seconds only. For dates and invalid values, our own default applies. */
export function readRetryAfter(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d+$/.test(header) ? Number(header) : undefined
}
