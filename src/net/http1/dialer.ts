import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls'
import type { Place } from './request-text.ts'

/** Every read of every connection lands here, and is read before the next: there is no other copy of what arrives. */
const ARRIVALS = Buffer.allocUnsafeSlow(64 * 1024)
/** How long a quiet line is trusted before the kernel asks whether somebody is still there. */
const PROBE_AFTER_MS = 60_000

/** What a secure connection may trust beyond the usual authorities. */
export type Trust = Pick<ConnectionOptions, 'ca'>

/** Opens sockets to one place. */
export class Dialer {
  readonly #place: Place
  readonly #trust: Trust
  /** What was agreed on with this place is not negotiated again. */
  #session: Buffer | undefined

  constructor(place: Place, trust: Trust) {
    this.#place = place
    this.#trust = trust
  }

  /** The event that says that a socket can be written to. */
  get readyEvent(): 'connect' | 'secureConnect' {
    return this.#place.isSecure ? 'secureConnect' : 'connect'
  }

  /** `arrived` is lent the bytes for the time of the call only. */
  dial(arrived: (lent: Buffer) => void): Socket {
    const { hostname: host, port, isSecure } = this.#place
    const onread = { buffer: ARRIVALS, callback: (length: number) => hand(length, arrived) }
    const socket = isSecure ? this.#dialSecurely({ host, port, onread }) : connect({ host, port, onread })
    return socket.setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS)
  }

  #dialSecurely(where: { host: string; port: number; onread: object }): Socket {
    const servername = isIP(where.host) ? '' : where.host
    const known = this.#session && { session: this.#session }
    const socket = connectSecurely({ ...where, ...this.#trust, ...known, servername, ALPNProtocols: ['http/1.1'] })
    socket.on('session', (session) => (this.#session = session))
    // What the other side does not remember any more must not be offered for ever.
    socket.on('error', () => (this.#session = undefined))
    return socket
  }
}

function hand(length: number, arrived: (lent: Buffer) => void): true {
  arrived(ARRIVALS.subarray(0, length))
  return true
}
