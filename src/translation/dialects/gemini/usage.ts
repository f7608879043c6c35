import type { Usage } from '../../../contract/chat-reply.ts'
import { type Fields, isRecord, listOf, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { CountReader } from '../answer/count-reader.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

/** Tokens by modality, as Google lists them. */
type Kinds = Record<string, number>

/** Some events of Vertex contain only the traffic type. */
export function hasCounts(value: unknown): value is Fields {
  return isRecord(value) && (value.promptTokenCount ?? value.candidatesTokenCount) != null
}

export function hasTier(value: unknown): value is Fields {
  return isRecord(value) && (value.serviceTier ?? value.trafficType) !== undefined
}

/** How often an answer searched the web: its grounding names every query. */
export function searchesIn(grounding: unknown): number {
  return listOf(recordOf(grounding).webSearchQueries).length
}

/** Undefined if nothing was counted, or if a count cannot be read: that is no zero. Searches are billed separately. */
export function toUsage(counts: unknown, searches = 0): Usage | undefined {
  if (!hasCounts(counts)) return undefined
  const reader = new CountReader()
  const prompt_tokens = reader.read(counts.promptTokenCount) + reader.read(counts.toolUsePromptTokenCount)
  const reasoning_tokens = reader.read(counts.thoughtsTokenCount)
  const completion_tokens = completionOf(counts, { prompt_tokens, reasoning_tokens }, reader)
  const usage = {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: promptDetails(counts, prompt_tokens, reader),
    completion_tokens_details: { reasoning_tokens, ...named(kindsOf(reader, counts.candidatesTokensDetails)) },
    ...(searches > 0 && { web_search_requests: searches }),
  }
  return reader.isSound ? usage : undefined
}

type Counted = { prompt_tokens: number; reasoning_tokens: number }

/** Reasoning is counted in addition to the answer, but some replies of Vertex already include it. */
function completionOf(counts: Fields, { prompt_tokens, reasoning_tokens }: Counted, reader: CountReader): number {
  const written = reader.read(counts.candidatesTokenCount)
  const isIncluded = written >= reasoning_tokens && prompt_tokens + written === toNumber(counts.totalTokenCount)
  return reasoning_tokens > 0 && isIncluded ? written : written + reasoning_tokens
}

/** Google also counts cached tokens within their modality; billing needs every token in one bucket. */
function promptDetails(counts: Fields, prompt: number, reader: CountReader): Usage['prompt_tokens_details'] {
  const cached_tokens = Math.min(prompt, reader.read(counts.cachedContentTokenCount))
  const read = kindsOf(reader, counts.promptTokensDetails, counts.toolUsePromptTokensDetails)
  const cached = kindsOf(reader, counts.cacheTokensDetails)
  // If the modality of cached tokens is unknown, they are assumed to be text.
  if (Object.keys(cached).length === 0) cached.TEXT = cached_tokens
  const fresh = Object.entries(read).map(([kind, count]) => [kind, Math.max(0, count - (cached[kind] ?? 0))])
  return { cached_tokens, ...within(named(Object.fromEntries(fresh)), prompt - cached_tokens) }
}

function kindsOf(reader: CountReader, ...lists: unknown[]): Kinds {
  const kinds: Kinds = {}
  for (const { modality, tokenCount } of lists.flatMap(recordsIn))
    kinds[textOf(modality)] = (kinds[textOf(modality)] ?? 0) + reader.read(tokenCount)
  return kinds
}

function named(kinds: Kinds): Kinds {
  const present = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT'].filter((kind) => kinds[kind])
  return Object.fromEntries(present.map((kind) => [`${kind.toLowerCase()}_tokens`, kinds[kind]!]))
}

function within(kinds: Kinds, max: number): Kinds {
  return Object.fromEntries(Object.entries(kinds).map(([kind, count]) => [kind, Math.min(count, max)]))
}

const TIERS = new Map([
  ['ON_DEMAND', 'default'],
  ['ON_DEMAND_FLEX', 'flex'],
  ['ON_DEMAND_PRIORITY', 'priority'],
  ['STANDARD', 'default'],
  ['FLEX', 'flex'],
  ['PRIORITY', 'priority'],
])

/** The tier that served the call. It determines the price. */
export function serviceTierOf(value: unknown): string | undefined {
  const { serviceTier, trafficType } = recordOf(value)
  return TIERS.get(textOf(serviceTier ?? trafficType).toUpperCase())
}
