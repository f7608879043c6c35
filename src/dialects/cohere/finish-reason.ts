import type { FinishReason, Usage } from '../../contract/chat-reply.ts'
import { countOf, isRecord, recordOf, textOf } from '../../schema/record.ts'
import { type Ending, endingOf } from '../answer/finish-reason.ts'
import { problemOfEnd } from './problem.ts'

const FINISH_REASONS: Record<string, FinishReason> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
}

const FAILED: ReadonlySet<string> = new Set(['ERROR', 'TIMEOUT'])

/** A reason that means failure is an error. */
export function ending(reason: string, error: unknown): Ending {
  if (FAILED.has(reason) || error != null) throw problemOfEnd(reason, error)
  return endingOf(reason, Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : undefined)
}

/**
 * The tokens that the model read and wrote. Cohere bills fewer, because its own preamble is free; that number is passed on
 * too. Undefined if nothing was counted.
 */
export function toUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined
  const billed = recordOf(usage.billed_units)
  const counted = isRecord(usage.tokens) ? usage.tokens : billed
  if (typeof (counted.input_tokens ?? counted.output_tokens) !== 'number') return undefined
  const prompt_tokens = countOf(counted.input_tokens)
  const completion_tokens = countOf(counted.output_tokens)
  const cached = Math.min(countOf(usage.cached_tokens), prompt_tokens)
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    ...(cached > 0 && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(isRecord(usage.billed_units) && { billed_units: billed }),
  }
}

/** A call of a function without parameters has no arguments, or `null`. */
export function argumentsOf(value: unknown): string {
  const text = textOf(value).trim()
  return text === '' || text === 'null' ? '{}' : textOf(value)
}
