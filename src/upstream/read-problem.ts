import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import { readRetryAfter } from '../wire/retry-after.ts'
import type { WireResponse } from '../wire/wire.ts'
import type { ChatCodec } from '../dialects/chat-codec.ts'
import { readText } from '../net/read-text.ts'
import { MAX_ERROR_BYTES } from '../wire/upstream-problem.ts'

/** Reads an answer with an error status. */
export async function readProblem(codec: ChatCodec, response: WireResponse, now: number): Promise<UpstreamProblem> {
  const text = await readText(response.body, MAX_ERROR_BYTES).catch(() => '')
  const problem = codec.problem(response.status, text, response.headers)
  problem.retryAfterSeconds ??= readRetryAfter(response, now)
  return problem
}
