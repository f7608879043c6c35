import { WireFailure, type WireRequest } from '../../../translation/wire/wire.ts'
import type { HttpProxy } from '../proxy/proxy.ts'

const NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const NO_VALUE = /[^\t\x20-\x7e\x80-\xff]/
/** Headers that only the gateway itself sets: the host, the length of the body, and how the connection is used. */
const OURS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'proxy-authorization',
  'proxy-connection',
])

/** The destination of a request, parsed from its URL. */
export type ParsedUrl = {
  origin: string
  isSecure: boolean
  hostname: string
  port: number
  host: string
  path: string
}

/** The length of the body, or null if there is none, and the proxy that the request is sent to. */
type HeadOptions = { length: number | null; proxy?: HttpProxy | undefined }

/** The lines of a request before its body. */
export function requestHead(
  { method, headers }: WireRequest,
  parsed: ParsedUrl,
  { length, proxy }: HeadOptions,
): string {
  let text = `${method} ${targetOf(parsed, proxy)} HTTP/1.1\r\nhost: ${parsed.host}\r\nconnection: keep-alive\r\n`
  if (proxy?.authorization && !parsed.isSecure) text += `proxy-authorization: ${proxy.authorization}\r\n`
  for (const name in headers) text += headerLine(name, headers[name]!)
  // A POST or PUT without a body states a length of 0, because some servers wait for a body.
  if (length !== null || method === 'POST' || method === 'PUT') text += `content-length: ${length ?? 0}\r\n`
  return `${text}\r\n`
}

/** A proxy reads the whole address of a plain request. Inside of TLS it sees nothing. */
function targetOf({ origin, path, isSecure }: ParsedUrl, proxy: HttpProxy | undefined): string {
  return proxy && !isSecure ? origin + path : path
}

/** A caller may name headers of its own, so line breaks in them are refused here. */
function headerLine(name: string, value: string): string {
  if (OURS.has(name.toLowerCase())) return ''
  if (!NAME.test(name) || NO_VALUE.test(value)) throw new WireFailure('protocol')
  return `${name}: ${value}\r\n`
}

const parsedUrls = new Map<string, ParsedUrl>()
const MAX_URLS = 1_000

/** The same few URLs come again and again, and parsing one costs as much as validating a body. */
export function parseUrl(url: string): ParsedUrl {
  const cached = parsedUrls.get(url)
  if (cached) return cached
  const { protocol, origin, hostname, port, host, pathname, search } = new URL(url)
  const isSecure = protocol === 'https:'
  // All URLs with other schemes have the same origin, 'null', so they would share connections.
  if (!isSecure && protocol !== 'http:') throw new WireFailure('protocol')
  const parsed = {
    origin,
    isSecure,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    host,
    path: pathname + search,
  }
  if (parsedUrls.size >= MAX_URLS) parsedUrls.clear()
  parsedUrls.set(url, parsed)
  return parsed
}
