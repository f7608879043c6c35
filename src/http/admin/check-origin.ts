import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../../contract/problems.ts'

type RequestView = Pick<IncomingMessage, 'headers' | 'method' | 'url'>

/**
 * Normalized as in a URL: the name in lower case, an IP address in its usual form, the port as text, '' for the default
 * port.
 */
type Authority = { hostname: string; port: string }

/**
 * Returns why a request to the admin listener is refused, if it is. A page of another site may make a browser send requests
 * to this machine, or let its own name resolve to this machine (DNS rebinding). `Origin` and `Sec-Fetch-Site` reveal the
 * first, `Host` the second: an IP address cannot be rebound, and a name has to be a loopback name or a configured one.
 */
export function originProblem(
  { headers, method, url = '/' }: RequestView,
  names: ReadonlySet<string>,
): Problem | undefined {
  const host = authorityIn(headers.host)
  if (headers.host === undefined || headers.host === '') return noHost()
  if (!host || !isOurs(host, names) || !isForSameHost(url, host)) return otherHost()
  if (headers.origin !== undefined && !isOwnOrigin(headers.origin, host, names)) return otherOrigin()
  return isFromOtherSite(headers, method) ? otherOrigin() : undefined
}

/**
 * The names under which the listener may be called: those that the operator configured, the name that it listens on, and the
 * host and the origin of ADMIN_URL.
 */
export function adminNames({ adminHost, adminHosts, adminUrl }: AdminAddresses): ReadonlySet<string> {
  const stated = adminUrl === undefined ? undefined : URL.parse(adminUrl)
  const own = [authorityIn(adminHost), authorityIn(stated?.host)].filter((one) => one !== undefined)
  const names = own.filter((one) => !isOurs(one, new Set())).map(({ hostname }) => hostname)
  // Behind a proxy that rewrites `Host`, a page has the origin of ADMIN_URL.
  return new Set([...adminHosts, ...names, ...(stated ? [stated.origin] : [])])
}

type AdminAddresses = { adminHost: string; adminHosts: readonly string[]; adminUrl?: string | undefined }

/** Accepts only a name or an IP address, with or without a port. */
function authorityIn(text: string | undefined): Authority | undefined {
  if (text === undefined || !/^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(text)) return undefined
  const url = URL.parse(`http://${text}`)
  return url ? { hostname: url.hostname.replace(/\.$/, ''), port: url.port } : undefined
}

function isOurs({ hostname }: Authority, names: ReadonlySet<string>): boolean {
  const isNumber = hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname)
  return isNumber || /^(.+\.)?localhost$/.test(hostname) || names.has(hostname)
}

/** A request target may name a host too (`GET http://other/ HTTP/1.1`), which then has to be the same. */
function isForSameHost(url: string, host: Authority): boolean {
  if (url.startsWith('/') || url === '*') return true
  const target = URL.parse(url)
  return target !== null && isSame({ hostname: target.hostname.replace(/\.$/, ''), port: target.port }, host)
}

/**
 * Accepts the listener's own pages and, behind a proxy that rewrites `Host`, pages of a configured name at the default
 * port.
 */
function isOwnOrigin(origin: string, host: Authority, names: ReadonlySet<string>): boolean {
  const [, scheme, rest] = /^(https?):\/\/([^/]+)$/i.exec(origin) ?? []
  const from = authorityIn(rest)
  if (!from) return false
  if (names.has(origin.toLowerCase())) return true
  const isDefaultPort = from.port === '' || (scheme?.toLowerCase() === 'https' && from.port === '443')
  return isSame(from, host) || (isDefaultPort && names.has(from.hostname))
}

function isSame(one: Authority, other: Authority): boolean {
  return one.hostname === other.hostname && one.port === other.port
}

/**
 * Where a request comes from, according to the browser. Following a link is allowed, because only the reader sees the page.
 */
function isFromOtherSite(headers: RequestView['headers'], method: string | undefined): boolean {
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return false
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return !(isLink && method === 'GET')
}

function noHost(): Problem {
  return problem('bad_request', { message: 'The request has no Host header.' })
}

function otherHost(): Problem {
  const message =
    'The admin listener does not accept this Host. Call it by its IP address or as localhost, or set ADMIN_HOSTS to the ' +
    'names by which it may be called (comma-separated), and restart.'
  return problem('not_allowed', { message })
}

function otherOrigin(): Problem {
  const message = 'The admin listener does not answer requests from pages of other origins.'
  return problem('not_allowed', { message })
}
