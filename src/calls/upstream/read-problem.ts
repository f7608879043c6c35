import type { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { readRetryAfter } from '../../translation/wire/retry-after.ts'
import type { WireResponse } from '../../translation/wire/wire.ts'
import type { ChatCodec } from '../../translation/dialects/chat-codec.ts'
import { readText } from '../../platform/net/read-text.ts'
import { MAX_ERROR_BYTES } from '../../translation/wire/upstream-problem.ts'

/** Reads an answer with an error status. */
export async function readProblem(codec: ChatCodec, response: WireResponse, now: number): Promise<UpstreamProblem> {
  const text = await readText(response.body, MAX_ERROR_BYTES).catch(() => '')
  const problem = codec.problem(response.status, text, response.headers)
  problem.retryAfterSeconds ??= readRetryAfter(response, now)
  return problem
}
