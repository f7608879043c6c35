import type { CatalogRow } from '../../platform/catalog/catalog.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import type { Usage } from '../../contract/chat-reply.ts'
import { readCount } from '../../base/schema/record.ts'
import { fieldsOf } from './usage-fields.ts'

// What a chat costs besides tokens: searches, requests, and tools that the provider runs itself. A fee that cannot be computed
// makes the cost unknown.

type Fees = {
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
  /** The provider is simulated: it searches nothing and runs no tools, whatever is asked. */
  isSimulated?: boolean | undefined
  /** Fields of the request that the provider did not get. */
  dropped?: readonly string[] | undefined
}

const NO_FEES: NonNullable<CatalogRow['per']> = {}
type FeeRow = Pick<CatalogRow, 'per' | 'perSearchContext'> | undefined

export function feesOf(entry: FeeRow, charged: Charged): Fees {
  const fees: Fees = { usd: entry?.per?.request ?? 0, basis: {}, isUnknown: false }
  if (charged.isSimulated) return fees
  addSearches(fees, entry, charged)
  if (entry?.perSearchContext) addContext(fees, entry.perSearchContext, charged)
  if (entry?.per) addTokens(fees, entry.per, charged)
  addSeconds(fees, entry?.per ?? NO_FEES, charged)
  fees.isUnknown ||= usesUnknownTools(charged) || usesUnits(charged)
  return fees
}

/** Billed one by one, or once for a request that searched. */
function addSearches(fees: Fees, entry: FeeRow, charged: Charged): void {
  const searches = searchesIn(charged.usage)
  const { search, searched_request } = entry?.per ?? NO_FEES
  // The fee for the request covers its searches.
  if ((search === undefined && entry?.perSearchContext) || searches === 0) return
  if (searches === undefined) fees.isUnknown ||= !charged.countsSearches && asksToSearch(charged)
  else addSearchFee(fees, searches, search === undefined ? searched_request : Number(searches) * search)
}

function addSearchFee(fees: Fees, searches: number | 'unreadable', usd: number | undefined): void {
  if (usd === undefined || searches === 'unreadable') fees.isUnknown = true
  else {
    fees.usd += usd
    fees.basis.searches = searches
  }
}

/** Perplexity charges for a request by the amount of search results that the model reads. */
function addContext(fees: Fees, perSize: Readonly<Record<string, number>>, { usage, request }: Charged): void {
  const { search_context_size: requestedSize, search_type } = (request.web_search_options ?? {}) as Record<
    string,
    unknown
  >
  const size = String(fieldsOf(usage).search_context_size ?? requestedSize)
  // A search in several steps has other fees.
  const isOneSearch = search_type === undefined || search_type === 'fast'
  if (isOneSearch && Object.hasOwn(perSize, size)) fees.usd += perSize[size]!
  else fees.isUnknown = true
}

/** Tokens that the totals do not include. */
function addTokens(fees: Fees, per: NonNullable<CatalogRow['per']>, { usage }: Charged): void {
  for (const kind of ['citation', 'reasoning'] as const) {
    const usd = per[`${kind}_token`]
    const reported = fieldsOf(usage)[`${kind}_tokens`]
    if (usd === undefined) continue
    const count = reported == null ? undefined : readCount(reported)
    if (count === undefined) fees.isUnknown = true
    else fees.usd += count * usd
  }
}

/** Mistral bills recordings in a chat by the second, in addition to the tokens of its texts. */
function addSeconds(fees: Fees, { second }: NonNullable<CatalogRow['per']>, { usage }: Charged): void {
  const reported = fieldsOf(usage).prompt_audio_seconds
  if (reported == null || reported === 0) return
  const seconds = readCount(reported)
  if (second === undefined || seconds === undefined) fees.isUnknown = true
  else {
    fees.usd += seconds * second
    fees.basis.audioSeconds = seconds
  }
}

/** Cohere bills searches in units of their own, which have no price here. */
function usesUnits({ usage }: Charged): boolean {
  const units = fieldsOf(usage).billed_units as { search_units?: unknown } | null | undefined
  return readCount(units?.search_units) !== 0
}

/** Tools that the provider runs, and that the answer names or the request offers. */
function usesUnknownTools({ usage, request, dropped }: Charged): boolean {
  const named = fieldsOf(usage).hosted_tools
  if (Array.isArray(named)) return named.some((name) => !isAccounted(String(name)))
  return !dropped?.includes('tools') && (offersUnknown(request.tools) || offersUnknown(request.extra_body?.tools))
}

function offersUnknown(tools: unknown): boolean {
  return Array.isArray(tools) ? tools.some(hasUnknownFee) : hasUnknownFee(tools)
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
  return ACCOUNTED_TOOLS.some((tool) => name === tool || name.startsWith(`${tool}_`))
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
