import type { Usage } from '../../../contract/chat-reply.ts'
import { type Fields, isRecord, listOf, readCount, recordOf, textOf } from '../../../base/schema/record.ts'
import { CountReader } from '../answer/count-reader.ts'

/** Counts in a stream accumulate: later ones replace earlier ones, and fields that a later event omits stay. */
export function later(before: Fields, update: unknown): Fields {
  if (!isRecord(update)) return before
  return { ...before, ...Object.fromEntries(Object.entries(update).filter(([, value]) => value != null)) }
}

/** Undefined if nothing was counted. */
export function readUsage(wire: unknown): Usage | undefined {
  const counts = countsIn(wire)
  if (!counts || !isRecord(wire)) return undefined
  const iterations = iterationsIn(wire.iterations)
  const searches = readCount(recordOf(wire.server_tool_use).web_search_requests)
  // A run or a search whose count cannot be read has been billed all the same, so the other counts are not the whole usage.
  if (!iterations || searches === undefined) return undefined
  return {
    ...counts,
    total_tokens: counts.prompt_tokens + counts.completion_tokens,
    ...(searches > 0 && { web_search_requests: searches }),
    ...(iterations.length > 0 && { iterations }),
    ...inferenceGeo(wire),
  }
}

type Counts = Pick<Usage, 'prompt_tokens' | 'completion_tokens' | 'prompt_tokens_details' | 'completion_tokens_details'>

/** Anthropic's `input_tokens` excludes cached tokens; in our format the prompt is everything that was read. */
function countsIn(wire: unknown): Counts | undefined {
  if (!isRecord(wire) || wire.input_tokens == null || wire.output_tokens == null) return undefined
  const counts = new CountReader()
  const cached_tokens = counts.read(wire.cache_read_input_tokens)
  const cache_write_tokens = counts.read(wire.cache_creation_input_tokens)
  const completion_tokens = counts.read(wire.output_tokens)
  const long = recordOf(wire.cache_creation).ephemeral_1h_input_tokens
  const cache_write_1h_tokens = Math.min(counts.read(long), cache_write_tokens)
  const prompt_tokens = counts.read(wire.input_tokens) + cached_tokens + cache_write_tokens
  if (!counts.isSound) return undefined
  return {
    prompt_tokens,
    completion_tokens,
    // A part of the written cache is kept for an hour, which costs more.
    prompt_tokens_details: { cached_tokens, cache_write_tokens, ...(long != null && { cache_write_1h_tokens }) },
    ...reasoningOf(wire, completion_tokens),
  }
}

/** Reasoning costs as much as other output. */
function reasoningOf({ output_tokens_details }: Fields, written: number) {
  const { thinking_tokens } = recordOf(output_tokens_details)
  const count = readCount(thinking_tokens)
  if (thinking_tokens == null || count === undefined) return {}
  return { completion_tokens_details: { reasoning_tokens: Math.min(count, written) } }
}

/**
 * The runs behind the answer; undefined if one of them cannot be read. Zeros may be omitted. A single run is the answer
 * itself, whose counts are known already, unless it names a model.
 */
function iterationsIn(list: unknown): NonNullable<Usage['iterations']> | undefined {
  const runs = listOf(list).map(recordOf)
  if (runs.length === 1 && textOf(runs[0]!.type) === 'message' && !textOf(runs[0]!.model)) return []
  const read = runs.flatMap((run) => {
    const { input_tokens, output_tokens } = run
    const isCounted = (input_tokens ?? output_tokens) != null
    const counts = isCounted && countsIn({ ...run, input_tokens: input_tokens ?? 0, output_tokens: output_tokens ?? 0 })
    return counts ? [{ type: textOf(run.type), ...(textOf(run.model) && { model: textOf(run.model) }), ...counts }] : []
  })
  return read.length === runs.length ? read : undefined
}

/** The tier that served the call, in our format. A fast answer costs more than the price list says, so it is named. */
export function readTier(wire: unknown): string | undefined {
  if (!isRecord(wire)) return undefined
  if (wire.speed === 'fast') return 'fast'
  if (typeof wire.service_tier !== 'string') return undefined
  return wire.service_tier === 'standard' ? 'default' : wire.service_tier
}

/** The place to which the inference was restricted, which costs more. */
function inferenceGeo({ inference_geo }: Fields): { inference_geo?: string } {
  const geo = textOf(inference_geo)
  return geo === '' || geo === 'global' || geo === 'not_available' ? {} : { inference_geo: geo }
}
