import type { WireRequest } from '../../../translation/wire/wire.ts'
import { Arrival, type Arriving } from './arrival.ts'
import { type Pinned, pinnedConnector } from './pinned-connect.ts'

const MAX_HEADER_BYTES = 16 * 1024

/** Headers that this module sets for every request, whatever its caller requests. */
const OURS = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'upgrade', 'expect', 'te']

type Hop = Pinned & {
  method: WireRequest['method']
  headers: WireRequest['headers']
  body: WireRequest['body']
  maxBytes: number
  idleMs: number
}

/** Sends one request over a socket of its own. Nothing is pooled, so no socket can be used for another address. */
export async function exchange(hop: Hop): Promise<Arriving> {
  const { url, method, body, idleMs, signal } = hop
  // undici is loaded when the first URL is fetched: that takes 0.1 s and 14 MB, and many gateways never fetch one.
  const { Client } = await import('undici')
  signal.throwIfAborted()
  const client = new Client(url.origin, { connect: pinnedConnector(hop), maxHeaderSize: MAX_HEADER_BYTES })
  const arrival = new Arrival(hop.maxBytes)
  const stop = () => arrival.fail(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  void arrival.over.then(() => {
    signal.removeEventListener('abort', stop)
    return client.destroy()
  })
  const limits = { headersTimeout: idleMs, bodyTimeout: idleMs, reset: true }
  client.dispatch({ path: url.pathname + url.search, method, headers: headersOf(hop), body, ...limits }, arrival)
  return arrival.response
}

function headersOf({ headers }: Hop): WireRequest['headers'] {
  const options = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return { ...Object.fromEntries(options.filter(([name]) => !OURS.includes(name))), 'accept-encoding': 'identity' }
}
