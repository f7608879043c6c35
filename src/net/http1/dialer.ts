import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls'
import type { Place } from './request-text.ts'

/**
 * All connections read into this buffer, and each read is processed before the next, so no other copy of the data exists.
 */
const ARRIVALS = Buffer.allocUnsafeSlow(64 * 1024)
/** How long a connection may be quiet before the kernel sends a keep-alive probe. */
const PROBE_AFTER_MS = 60_000

/** Certificates that a TLS connection may trust in addition to the usual authorities. */
export type Trust = Pick<ConnectionOptions, 'ca'>

/** Opens sockets to one origin. */
export class Dialer {
  readonly #place: Place
  readonly #trust: Trust
  /** The TLS session of this origin, which is resumed instead of negotiated again. */
  #session: Buffer | undefined

  constructor(place: Place, trust: Trust) {
    this.#place = place
    this.#trust = trust
  }

  /** The event after which a socket can be written to. */
  get readyEvent(): 'connect' | 'secureConnect' {
    return this.#place.isSecure ? 'secureConnect' : 'connect'
  }

  /** `arrived` may use the bytes only during the call. */
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
    // A session that the server has forgotten must not be offered forever.
    socket.on('error', () => (this.#session = undefined))
    return socket
  }
}

function hand(length: number, arrived: (lent: Buffer) => void): true {
  arrived(ARRIVALS.subarray(0, length))
  return true
}
