import type { WebSearchTool } from './messages-body.ts'
import type { Notes } from '../notes.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'

/** The oldest version of web search is the one that every model supports. */
const VERSION = 'web_search_20250305'

/** How often the model may search, by the requested context size. */
const MAX_USES: ReadonlyMap<unknown, number> = new Map([
  ['low', 1],
  ['medium', 5],
  ['high', 10],
])
const LOCATION_FIELDS = ['city', 'region', 'country', 'timezone'] as const

export function webSearchTool(options: Fields, notes: Notes): WebSearchTool {
  notes.translated('web_search_options', "translated to the provider's own search tool")
  const { search_context_size: size, user_location, filters } = options
  const max_uses = MAX_USES.get(size)
  const allowed = isRecord(filters) && Array.isArray(filters.allowed_domains) ? filters.allowed_domains : []
  const location = locationIn(user_location)
  return {
    type: VERSION,
    name: 'web_search',
    ...(max_uses && { max_uses }),
    ...(allowed.length > 0 && { allowed_domains: allowed.filter((domain) => typeof domain === 'string') }),
    ...(location && { user_location: { type: 'approximate' as const, ...location } }),
  }
}

function locationIn(location: unknown): Partial<Record<(typeof LOCATION_FIELDS)[number], string>> | undefined {
  if (!isRecord(location)) return undefined
  const approximate: Fields = isRecord(location.approximate) ? location.approximate : location
  const present = LOCATION_FIELDS.filter((field) => typeof approximate[field] === 'string')
  return present.length === 0
    ? undefined
    : Object.fromEntries(present.map((field) => [field, approximate[field] as string]))
}
