import type { IncomingMessage } from 'node:http'

/** Headers of a request that are not those of the requests inside of this process which it leads to. */
const NOT_REPEATED =
  /^(?:connection|upgrade|sec-websocket-.*|content-.*|transfer-encoding|x-request-id|expect|te|trailer|idempotency-key)$/

/** The headers that say who asks, from where, and in which session: name, value, name, value. */
export function repeatedHeaders({ rawHeaders }: IncomingMessage, others?: RegExp): string[] {
  return rawHeaders.filter((_, at) => {
    const name = rawHeaders[at - (at % 2)]!.toLowerCase()
    return !NOT_REPEATED.test(name) && !others?.test(name)
  })
}
