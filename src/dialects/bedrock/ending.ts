import type { FinishReason, Usage } from '../../contract/chat-reply.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { countOf, type Fields, recordsIn } from '../../schema/record.ts'

const FINISH_REASONS: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
}

/** What the model wrote could not be read: half a call looks like a whole answer to nobody. */
const BROKEN: ReadonlySet<string> = new Set(['malformed_model_output', 'malformed_tool_use'])

/** A reason that is not known yet is an end like any other. */
export function finishReason(stopReason: string, calls: number): FinishReason {
  if (BROKEN.has(stopReason)) throw new UpstreamProblem('garbage', `the model ended with ${stopReason}`)
  const reason = Object.hasOwn(FINISH_REASONS, stopReason) ? FINISH_REASONS[stopReason]! : 'stop'
  // An answer that was made by calling our own tool is an answer, not a call.
  return reason === 'tool_calls' && calls === 0 ? 'stop' : reason
}

/** The wire counts what was read from a cache and written to one beside the input; ours counts them as parts of it. */
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

/** Part of what was written is kept for an hour, and costs more. */
function writtenForHour({ cacheDetails }: Fields): number {
  const counts = recordsIn(cacheDetails).filter(({ ttl }) => ttl === '1h')
  return counts.reduce((sum, { inputTokens }) => sum + countOf(inputTokens), 0)
}
