import { GATEWAY_OWNER, type Send, type WireResponse } from '../../translation/wire/wire.ts'
import { readText } from './read-text.ts'

const TIMEOUTS = { connectMs: 10_000, headersMs: 30_000, idleMs: 30_000 }
const TOTAL_MS = 120_000
const MAX_REDIRECTS = 3

type FetchOptions = { send: Send; maxBytes: number; etag?: string | undefined; signal?: AbortSignal }

type FetchedDocument = { text: string; etag: string | undefined }

/**
 * Fetches a text from an address that the operator configured. Returns undefined if it is still the one with this tag.
 * Redirects are followed, but never from https to http.
 */
export async function fetchDocument(
  url: string,
  { send, maxBytes, etag, signal: stop }: FetchOptions,
): Promise<FetchedDocument | undefined> {
  const timeout = AbortSignal.timeout(TOTAL_MS)
  const signal = stop ? AbortSignal.any([stop, timeout]) : timeout
  const headers = { accept: 'application/json', ...(etag && { 'if-none-match': etag }) }
  for (let redirects = 0, currentUrl = url; redirects <= MAX_REDIRECTS; redirects++) {
    const request = { method: 'GET' as const, url: currentUrl, headers: { ...headers }, body: null }
    const response = await send(request, { signal, timeouts: TIMEOUTS, owner: GATEWAY_OWNER })
    if (response.status === 200) return { text: await readText(response.body, maxBytes), etag: tagOf(response) }
    await response.body[Symbol.asyncIterator]().return?.()
    if (response.status === 304) return undefined
    currentUrl = nextUrl(currentUrl, response)
  }
  throw new Error('there are too many redirects')
}

function nextUrl(currentUrl: string, { status, headers: { location } }: WireResponse): string {
  const next = status >= 300 && status < 400 && typeof location === 'string' ? URL.parse(location, currentUrl) : null
  if (!next) throw new Error(`the server answered ${status}`)
  if (next.protocol !== 'https:' && (next.protocol !== 'http:' || currentUrl.startsWith('https:')))
    throw new Error('the server redirects to an address that is not secure')
  return next.href
}

function tagOf({ headers: { etag } }: WireResponse): string | undefined {
  return typeof etag === 'string' ? etag : undefined
}
