import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../contract/problems.ts'

// What Node lets pass and another program on the way could read differently: which host is meant, and where a body ends.
// Two programs that disagree let one caller's bytes be taken for another's request.

const HOST = 'host'
const CODING = 'transfer-encoding'
/** A name, an IPv4 or a bracketed IPv6 address, and a port; no list, no blank, no path. */
const HOST_VALUE = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i

const refusedSockets = new WeakSet<object>()

/** Undefined where all is well. */
export function framingProblem(request: IncomingMessage): Problem | undefined {
  const sentence = framingFault(request)
  if (sentence === undefined) return undefined
  refusedSockets.add(request.socket)
  // Nobody knows any more where the next request on this connection begins.
  const headers = { connection: 'close' }
  return problem('validation_error', { message: sentence, code: 'bad_request', status: 400, headers })
}

/** Its request was refused here: what Node then finds wrong with it as well is not answered a second time. */
export function isRefused(socket: object): boolean {
  return refusedSockets.has(socket)
}

/** One pass over the headers: every request comes through here. */
function framingFault({ rawHeaders, httpVersionMinor }: IncomingMessage): string | undefined {
  let hosts = 0
  let codings = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    const value = rawHeaders[at + 1]!
    if (is(name, HOST)) {
      if (++hosts > 1 || !isHost(value)) return 'Send exactly one Host header, with one host in it.'
    } else if (is(name, CODING)) {
      // Clients write it in small letters and alone, and a list or another coding is how requests are smuggled.
      if (++codings > 1 || value !== 'chunked') return 'Send no Transfer-Encoding other than `chunked`.'
    }
  }
  return codings > 0 && httpVersionMinor === 0 ? 'HTTP/1.0 has no Transfer-Encoding.' : undefined
}

function is(name: string, wanted: string): boolean {
  return name.length === wanted.length && (name === wanted || name.toLowerCase() === wanted)
}

let lastHost = ''

/** Nearly every request names the same one. */
function isHost(value: string): boolean {
  if (value === lastHost) return true
  if (!HOST_VALUE.test(value)) return false
  lastHost = value
  return true
}
