import type { Usage } from '../../../contract/chat-reply.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'
import { CountReader } from '../answer/count-reader.ts'
import { type Ending, endingOf } from '../answer/finish-reason.ts'
import { problemOfEnd } from './problem.ts'

/** An end with an error has failed, whatever its reason. */
export function ending(reason: unknown, error: unknown): Ending {
  if (error != null) throw problemOfEnd(textOf(reason), error)
  return endingOf(reason)
}

/**
 * The tokens that the model read and wrote. Cohere bills fewer, because its own preamble is free; that number is passed on
 * too. Undefined if nothing was counted, or if a count cannot be read.
 */
export function toUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined
  const billed = recordOf(usage.billed_units)
  const counted = isRecord(usage.tokens) ? usage.tokens : billed
  if ((counted.input_tokens ?? counted.output_tokens) == null) return undefined
  const counts = new CountReader()
  const prompt_tokens = counts.read(counted.input_tokens)
  const completion_tokens = counts.read(counted.output_tokens)
  const cached = Math.min(counts.read(usage.cached_tokens), prompt_tokens)
  const billed_units = billedUnits(billed, counts)
  if (!counts.isSound) return undefined
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    ...(cached > 0 && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(isRecord(usage.billed_units) && { billed_units }),
  }
}

function billedUnits(billed: Fields, counts: CountReader): Fields {
  const names = ['input_tokens', 'output_tokens'].filter((name) => billed[name] != null)
  return { ...billed, ...Object.fromEntries(names.map((name) => [name, counts.read(billed[name])])) }
}

/** A call of a function without parameters has no arguments, or `null`. */
export function argumentsOf(value: unknown): string {
  const text = textOf(value).trim()
  return text === '' || text === 'null' ? '{}' : textOf(value)
}
