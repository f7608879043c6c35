import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../contract/problems.ts'
import { isHeader } from './raw-headers.ts'

// Refuses requests that Node accepts but a proxy in front could read differently: which host is meant, or where the body
// ends. If two programs disagree, one caller's bytes can be taken for another caller's request (request smuggling).

const HOST = 'host'
const CODING = 'transfer-encoding'
/** A name, an IPv4 address or a bracketed IPv6 address, and a port; no list, no space, no path. */
const HOST_VALUE = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i

const refusedSockets = new WeakSet<object>()

export function framingProblem(request: IncomingMessage): Problem | undefined {
  const sentence = framingIssue(request)
  if (sentence === undefined) return undefined
  refusedSockets.add(request.socket)
  // The connection closes, because it is unknown where its next request begins.
  const headers = { connection: 'close' }
  return problem('bad_request', { message: sentence, headers })
}

/**
 * Whether a request on this socket was refused here. If Node's parser then rejects the rest of it as well, that is not
 * answered a second time. Unlike a request that was answered early, this holds even after the request is complete.
 */
export function isRefused(socket: object): boolean {
  return refusedSockets.has(socket)
}

/** Goes over the headers only once, because every request comes through here. */
function framingIssue({ rawHeaders, httpVersionMinor }: IncomingMessage): string | undefined {
  let hosts = 0
  let codings = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    const value = rawHeaders[at + 1]!
    if (isHeader(name, HOST)) {
      if (++hosts > 1 || !isHost(value)) return 'Send exactly one Host header with one host.'
    } else if (isHeader(name, CODING)) {
      // All clients send this value alone and in lower case. Lists and other codings are used to smuggle requests.
      if (++codings > 1 || value !== 'chunked') return 'Send no Transfer-Encoding other than `chunked`.'
    }
  }
  if (hosts === 0 && httpVersionMinor > 0) return 'Send exactly one Host header with one host.'
  return codings > 0 && httpVersionMinor === 0 ? 'HTTP/1.0 does not support Transfer-Encoding.' : undefined
}

let lastHost = ''

/** Remembers the last valid host, because nearly all requests name the same one. */
function isHost(value: string): boolean {
  if (value === lastHost) return true
  if (!HOST_VALUE.test(value)) return false
  lastHost = value
  return true
}
