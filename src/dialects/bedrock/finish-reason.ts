import type { FinishReason, Usage } from '../../contract/chat-reply.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { countOf, type Fields, recordsIn } from '../../schema/record.ts'
import { type Ending, endingOf } from '../answer/finish-reason.ts'

const FINISH_REASONS: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
}

/** The output of the model could not be parsed. It is an error, because half a call must not look like a complete answer. */
const BROKEN: ReadonlySet<string> = new Set(['malformed_model_output', 'malformed_tool_use'])

export function ending(stopReason: string, calls: number): Ending {
  if (BROKEN.has(stopReason)) throw new UpstreamProblem('garbage', `the model ended with ${stopReason}`)
  // An answer by means of our own tool is an answer, not a call.
  if (stopReason === 'tool_use' && calls === 0) return { finish_reason: 'stop' }
  return endingOf(stopReason, Object.hasOwn(FINISH_REASONS, stopReason) ? FINISH_REASONS[stopReason] : undefined)
}

/** Bedrock counts cached tokens in addition to the input; our format counts them as a part of it. */
export function toUsage(usage: Fields): Usage {
  const read = countOf(usage.cacheReadInputTokens)
  const written = countOf(usage.cacheWriteInputTokens)
  const prompt_tokens = countOf(usage.inputTokens) + read + written
  const completion_tokens = countOf(usage.outputTokens)
  const hour = Math.min(writtenForHour(usage), written)
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
function writtenForHour({ cacheDetails }: Fields): number {
  const counts = recordsIn(cacheDetails).filter(({ ttl }) => ttl === '1h')
  return counts.reduce((sum, { inputTokens }) => sum + countOf(inputTokens), 0)
}
