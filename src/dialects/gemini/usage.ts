import type { Usage } from '../../contract/chat-reply.ts'
import { countOf, type Fields, isRecord, listOf, recordOf, recordsIn, textOf } from '../../schema/record.ts'

/** Tokens by modality, as Google lists them. */
type Kinds = Record<string, number>

/** Some events of Vertex contain only the traffic type. A count that cannot be read is not a count of zero. */
export function hasCounts(value: unknown): value is Fields {
  if (!isRecord(value)) return false
  const counts = [value.promptTokenCount, value.candidatesTokenCount].filter((count) => count !== undefined)
  return counts.length > 0 && counts.every((count) => Number.isInteger(count) && Number(count) >= 0)
}

export function hasTier(value: unknown): value is Fields {
  return isRecord(value) && (value.serviceTier ?? value.trafficType) !== undefined
}

/** How often an answer searched the web: its grounding names every query. */
export function searchesIn(grounding: unknown): number {
  return listOf(recordOf(grounding).webSearchQueries).length
}

/** Undefined if nothing was counted. Searches are billed separately. */
export function toUsage(counts: unknown, searches = 0): Usage | undefined {
  if (!hasCounts(counts)) return undefined
  const prompt_tokens = countOf(counts.promptTokenCount) + countOf(counts.toolUsePromptTokenCount)
  const completion_tokens = completionOf(counts, prompt_tokens)
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: promptDetails(counts, prompt_tokens),
    completion_tokens_details: {
      reasoning_tokens: countOf(counts.thoughtsTokenCount),
      ...named(kindsOf(counts.candidatesTokensDetails)),
    },
    ...(searches > 0 && { web_search_requests: searches }),
  }
}

/** Reasoning is counted in addition to the answer, but some replies of Vertex already include it. */
function completionOf(counts: Fields, prompt: number): number {
  const written = countOf(counts.candidatesTokenCount)
  const reasoning = countOf(counts.thoughtsTokenCount)
  return reasoning > 0 && written >= reasoning && prompt + written === counts.totalTokenCount
    ? written
    : written + reasoning
}

/** Google also counts cached tokens within their modality; billing needs every token in one bucket. */
function promptDetails(counts: Fields, prompt: number): Usage['prompt_tokens_details'] {
  const cached_tokens = Math.min(prompt, countOf(counts.cachedContentTokenCount))
  const read = kindsOf(counts.promptTokensDetails, counts.toolUsePromptTokensDetails)
  const cached = kindsOf(counts.cacheTokensDetails)
  // If the modality of cached tokens is unknown, they are assumed to be text.
  if (Object.keys(cached).length === 0) cached.TEXT = cached_tokens
  const fresh = Object.entries(read).map(([kind, count]) => [kind, Math.max(0, count - (cached[kind] ?? 0))])
  return { cached_tokens, ...within(named(Object.fromEntries(fresh)), prompt - cached_tokens) }
}

function kindsOf(...lists: unknown[]): Kinds {
  const kinds: Kinds = {}
  for (const { modality, tokenCount } of lists.flatMap(recordsIn))
    kinds[textOf(modality)] = (kinds[textOf(modality)] ?? 0) + countOf(tokenCount)
  return kinds
}

function named(kinds: Kinds): Kinds {
  const known = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT'].filter((kind) => kinds[kind])
  return Object.fromEntries(known.map((kind) => [`${kind.toLowerCase()}_tokens`, kinds[kind]!]))
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
