import type { CatalogRow } from '../catalog/catalog.ts'
import type { ChatRequest } from '../contract/chat.ts'
import type { Usage } from '../contract/chat-reply.ts'
import { readCount } from '../schema/record.ts'

// What a chat costs besides tokens: searches, requests, and tools that the provider runs itself. A fee that cannot be computed
// makes the cost unknown.

export type Fees = {
  usd: number
  /** What the fees were computed from. */
  basis: Record<string, number>
  /** Something has a fee that is not known, or was not counted. */
  isUnknown: boolean
}

export type Charged = {
  usage: Usage | undefined
  request: ChatRequest
  /** The provider reports its searches, so that no report means that there were none. */
  countsSearches?: boolean | undefined
  /** Fields of the request that the provider did not get. */
  dropped?: readonly string[] | undefined
}

type Priced = Pick<CatalogRow, 'per' | 'perSearchContext'> | undefined

export function feesOf(entry: Priced, charged: Charged): Fees {
  const parts = [
    ofSearches(entry, charged),
    ofContext(entry, charged),
    ofTokens(entry, charged),
    ofTools(charged),
    ofUnits(charged),
  ]
  return {
    usd: parts.reduce((sum, { usd = 0 }) => sum + usd, entry?.per?.request ?? 0),
    basis: Object.assign({}, ...parts.map(({ basis }) => basis)),
    isUnknown: parts.some(({ isUnknown }) => isUnknown),
  }
}

type Part = { usd?: number; basis?: Record<string, number>; isUnknown?: boolean }

/** Billed one by one, or once for a request that searched. */
function ofSearches(entry: Priced, charged: Charged): Part {
  const searches = searchesIn(charged.usage)
  const { search, searched_request } = entry?.per ?? {}
  // The fee for the request covers its searches.
  if (search === undefined && entry?.perSearchContext) return {}
  if (searches === undefined) return { isUnknown: !charged.countsSearches && asksToSearch(charged) }
  if (searches === 'unreadable') return { isUnknown: true }
  if (searches === 0) return {}
  const usd = search === undefined ? searched_request : searches * search
  return usd === undefined ? { isUnknown: true } : { usd, basis: { searches } }
}

/** Perplexity charges for a request by the amount of search results that the model reads. */
function ofContext(entry: Priced, { usage, request }: Charged): Part {
  const fees = entry?.perSearchContext
  if (!fees) return {}
  const { search_context_size: wanted, search_type } = (request.web_search_options ?? {}) as Record<string, unknown>
  // A search in several steps has other fees.
  if (search_type !== undefined && search_type !== 'fast') return { isUnknown: true }
  const size = String(fieldsOf(usage).search_context_size ?? wanted)
  return Object.hasOwn(fees, size) ? { usd: fees[size as keyof typeof fees] } : { isUnknown: true }
}

/** Tokens that the totals do not include. */
function ofTokens(entry: Priced, { usage }: Charged): Part {
  const kinds = (['citation', 'reasoning'] as const).filter((kind) => entry?.per?.[`${kind}_token`] !== undefined)
  let usd = 0
  for (const kind of kinds) {
    const reported = fieldsOf(usage)[`${kind}_tokens`]
    const count = reported == null ? undefined : readCount(reported)
    if (count === undefined) return { isUnknown: true }
    usd += count * entry!.per![`${kind}_token`]!
  }
  return { usd }
}

/** Cohere bills searches in units of their own, which have no price here. */
function ofUnits({ usage }: Charged): Part {
  const { search_units } = (fieldsOf(usage).billed_units ?? {}) as Record<string, unknown>
  return { isUnknown: readCount(search_units) !== 0 }
}

/** Tools that the provider runs, and that the answer names or the request offers. */
function ofTools({ usage, request, dropped }: Charged): Part {
  const named = fieldsOf(usage).hosted_tools
  if (Array.isArray(named)) return { isUnknown: named.some((name) => !isAccounted(String(name))) }
  const offered = [request, request.extra_body ?? {}].flatMap(({ tools }: { tools?: unknown }) => tools ?? [])
  return { isUnknown: !dropped?.includes('tools') && offered.some(hasUnknownFee) }
}

/** Tools that the caller runs, that are counted, or whose use costs nothing but tokens. */
const RUN_BY_CALLER = [
  ...['function', 'custom', 'functionDeclarations', 'memory', 'bash', 'text_editor', 'computer', 'computerUse'],
  ...['browser_toolset', 'local_shell', 'apply_patch', 'namespace'],
]
const COUNTED = ['web_search', 'googleSearch', 'google_search', 'advisor']
const FREE = ['web_fetch', 'tool_search', 'mcp', 'urlContext', 'url_context', 'codeExecution']
const ACCOUNTED_TOOLS = [...RUN_BY_CALLER, ...COUNTED, ...FREE]

function isAccounted(name: string): boolean {
  return ACCOUNTED_TOOLS.some((known) => name === known || name.startsWith(`${known}_`))
}

/** Google's tools have no type: the name is the only member. */
function hasUnknownFee(tool: unknown): boolean {
  if (typeof tool !== 'object' || tool === null) return false
  const { type } = tool as { type?: unknown }
  if (typeof type === 'string') return !isAccounted(type)
  return !('function' in tool || 'name' in tool) && Object.keys(tool).some((name) => !isAccounted(name))
}

/** Undefined if nothing is reported. */
function searchesIn(usage: Usage | undefined): number | 'unreadable' | undefined {
  const { web_search_requests, num_search_queries } = fieldsOf(usage)
  const count = web_search_requests ?? num_search_queries
  return count == null ? undefined : (readCount(count) ?? 'unreadable')
}

function asksToSearch({ request, dropped }: Charged): boolean {
  if (dropped?.includes('web_search_options')) return false
  return namesSearch(request) || (request.extra_body != null && namesSearch(request.extra_body))
}

function namesSearch({ web_search_options, tools }: Record<string, unknown>): boolean {
  return web_search_options != null || (Array.isArray(tools) && tools.some(isSearch))
}

function isSearch(tool: { type?: unknown } | null): boolean {
  return typeof tool?.type === 'string' && tool.type.startsWith('web_search')
}

function fieldsOf(usage: Usage | undefined): Record<string, unknown> {
  return (usage ?? {}) as Record<string, unknown>
}
