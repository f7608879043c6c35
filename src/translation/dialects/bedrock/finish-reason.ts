import type { Usage } from '../../../contract/chat-reply.ts'
import { type Fields, recordsIn } from '../../../base/schema/record.ts'
import { CountReader } from '../answer/count-reader.ts'
import { type Ending, endingOf } from '../answer/finish-reason.ts'

/** An answer by means of our own tool is an answer, not a call. */
export function ending(stopReason: unknown, calls: number): Ending {
  const end = endingOf(stopReason)
  return end.finish_reason === 'tool_calls' && calls === 0 ? { finish_reason: 'stop' } : end
}

/** Bedrock counts cached tokens in addition to the input; our format counts them as a part of it. */
export function toUsage(usage: Fields): Usage | undefined {
  const counts = new CountReader()
  const read = counts.read(usage.cacheReadInputTokens)
  const written = counts.read(usage.cacheWriteInputTokens)
  const prompt_tokens = counts.read(usage.inputTokens) + read + written
  const completion_tokens = counts.read(usage.outputTokens)
  const hour = Math.min(writtenForHour(usage, counts), written)
  if (!counts.isSound || (usage.inputTokens ?? usage.outputTokens) == null) return undefined
  const details = {
    ...(read && { cached_tokens: read }),
    ...(written && { cache_write_tokens: written }),
    ...(hour && { cache_write_1h_tokens: hour }),
  }
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    ...((read || written) && { prompt_tokens_details: details }),
  }
}

/** A part of the written cache is kept for an hour, which costs more. */
function writtenForHour({ cacheDetails }: Fields, counts: CountReader): number {
  const details = recordsIn(cacheDetails).filter(({ ttl }) => ttl === '1h')
  return details.reduce((sum, { inputTokens }) => sum + counts.read(inputTokens), 0)
}
