import type { Usage } from '../../contract/chat-reply.ts'
import { countOf, type Fields, isRecord, listOf, recordOf, textOf } from '../../schema/record.ts'

/** Usage in a stream accumulates: later numbers replace earlier ones, and fields that a later event omits stay. */
export function laterUsage(before: Fields, update: unknown): Fields {
  if (!isRecord(update)) return before
  return { ...before, ...Object.fromEntries(Object.entries(update).filter(([, value]) => value != null)) }
}

/** Undefined if nothing was counted. */
export function readUsage(wire: unknown): Usage | undefined {
  const counts = countsIn(wire)
  if (!counts || !isRecord(wire)) return undefined
  const iterations = iterationsIn(wire.iterations)
  // A run that nobody can count has been billed all the same: what is known is not the whole usage.
  if (!iterations) return undefined
  return {
    ...counts,
    total_tokens: counts.prompt_tokens + counts.completion_tokens,
    ...searches(wire),
    ...(iterations.length > 0 && { iterations }),
    ...placeOf(wire),
  }
}

type Counts = Pick<Usage, 'prompt_tokens' | 'completion_tokens' | 'prompt_tokens_details' | 'completion_tokens_details'>

/** Anthropic's `input_tokens` excludes cached tokens; in our format the prompt is everything that was read. */
function countsIn(wire: unknown): Counts | undefined {
  if (!isRecord(wire) || !isCount(wire.input_tokens) || !isCount(wire.output_tokens)) return undefined
  const cached_tokens = countOf(wire.cache_read_input_tokens)
  const cache_write_tokens = countOf(wire.cache_creation_input_tokens)
  const reasoning = recordOf(wire.output_tokens_details).thinking_tokens
  return {
    prompt_tokens: wire.input_tokens + cached_tokens + cache_write_tokens,
    completion_tokens: wire.output_tokens,
    prompt_tokens_details: { cached_tokens, cache_write_tokens, ...writtenForLong(wire, cache_write_tokens) },
    ...(isCount(reasoning) && {
      completion_tokens_details: { reasoning_tokens: Math.min(reasoning, wire.output_tokens) },
    }),
  }
}

/** The runs behind the answer; undefined if one of them cannot be read. Zeros may be omitted. A single run is the answer itself, whose counts are known already. */
function iterationsIn(list: unknown): NonNullable<Usage['iterations']> | undefined {
  const runs = listOf(list).map(recordOf)
  if (runs.length === 1 && textOf(runs[0]!.type) === 'message') return []
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
function placeOf({ inference_geo }: Fields): { inference_geo?: string } {
  const geo = textOf(inference_geo)
  return geo === '' || geo === 'global' || geo === 'not_available' ? {} : { inference_geo: geo }
}

/** Web searches are billed separately. */
function searches({ server_tool_use }: Fields): { web_search_requests?: number } {
  const count = countOf(recordOf(server_tool_use).web_search_requests)
  return count > 0 ? { web_search_requests: count } : {}
}

/** A part of the written cache is kept for an hour, which costs more. */
function writtenForLong({ cache_creation }: Fields, written: number) {
  const long = recordOf(cache_creation).ephemeral_1h_input_tokens
  return isCount(long) ? { cache_write_1h_tokens: Math.min(long, written) } : {}
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0
}
