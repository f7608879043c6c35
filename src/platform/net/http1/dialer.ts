import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls'
import { WireFailure } from '../../../translation/wire/wire.ts'
import { openTunnel } from '../proxy/open-tunnel.ts'
import type { HttpProxy } from '../proxy/proxy.ts'
import { proxyFailureOf, proxyTooLate } from '../proxy/proxy-failure.ts'
import type { ParsedUrl } from './request-text.ts'

/**
 * All connections read into this buffer, and each read is processed before the next, so no other copy of the data exists.
 */
const ARRIVALS = Buffer.allocUnsafeSlow(64 * 1024)
/** How long a connection may be quiet before the kernel sends a keep-alive probe. */
const PROBE_AFTER_MS = 60_000

/** The authorities that a TLS connection trusts instead of the usual ones, and the certificate that it shows. */
export type Trust = Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>

/** What becomes of a connection. */
export type Line = {
  /** The socket to write to and to close. A tunnel through a proxy has another one when TLS begins inside of it. */
  use(socket: Socket): void
  /** The socket can be written to. */
  ready(): void
  /** The bytes may be used only during the call. */
  arrived(lent: Buffer): void
  ended(): void
  /** May be called more than once. */
  died(error: Error): void
}

/** Opens sockets to one origin, through a proxy if there is one. */
export class Dialer {
  readonly #url: ParsedUrl
  readonly #trust: Trust
  readonly #proxy: HttpProxy | undefined
  /** The TLS session of this origin, which is resumed instead of negotiated again. */
  #session: Buffer | undefined

  constructor(parsed: ParsedUrl, trust: Trust, proxy?: HttpProxy) {
    this.#url = parsed
    this.#trust = trust
    this.#proxy = proxy
  }

  dial(line: Line): void {
    const proxy = this.#proxy
    if (!proxy) this.#dialDirectly(line)
    else if (this.#url.isSecure) this.#dialTunnel(line, proxy)
    else this.#dialProxy(line, proxy)
  }

  /** The failure of a connection that was not ready in time. */
  tooLate(): WireFailure {
    return this.#proxy ? proxyTooLate(this.#proxy) : new WireFailure('connect_timeout')
  }

  #dialDirectly(line: Line): void {
    const { hostname: host, port, isSecure } = this.#url
    const where = { host, port, onread: lending(line) }
    const socket = attended(isSecure ? this.#secured(where) : connect(where), line)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => line.ready())
    line.use(socket)
  }

  /** Requests of plain HTTP are sent to the proxy itself, which reads their addresses. */
  #dialProxy(line: Line, proxy: HttpProxy): void {
    let isReady = false
    const died = (error: Error) => line.died(isReady ? error : proxyFailureOf(proxy, error))
    const socket = attended(this.#toProxy(proxy, lending(line)), { ended: () => line.ended(), died })
    socket.once(readyEvent(proxy), () => {
      isReady = true
      line.ready()
    })
    line.use(socket)
  }

  /** TLS begins when the proxy has opened the way. The provider's certificate is checked as without a proxy. */
  #dialTunnel(line: Line, proxy: HttpProxy): void {
    const outer = this.#toProxy(proxy)
    const { hostname: host, port } = this.#url
    let isOpen = false
    outer.on('error', (error) => line.died(isOpen ? error : proxyFailureOf(proxy, error)))
    line.use(outer)
    outer.once(readyEvent(proxy), () => {
      openTunnel(outer, { host, port }, proxy).then(
        () => {
          isOpen = true
          this.#begin(outer, line)
        },
        (error) => line.died(error),
      )
    })
  }

  #begin(outer: Socket, line: Line): void {
    if (outer.destroyed) return
    const socket = attended(this.#secured({ socket: outer, host: this.#url.hostname }), line)
    socket.on('data', (bytes) => line.arrived(bytes)).once('secureConnect', () => line.ready())
    line.use(socket)
  }

  #secured(where: ConnectionOptions & { host: string }): Socket {
    const servername = isIP(where.host) ? '' : where.host
    const resumption = this.#session && { session: this.#session }
    const socket = connectSecurely({ ...where, ...this.#trust, ...resumption, servername, ALPNProtocols: ['http/1.1'] })
    socket.on('session', (session) => (this.#session = session))
    // A session that the server has forgotten must not be offered forever.
    socket.on('error', () => (this.#session = undefined))
    return socket
  }

  #toProxy({ host, port, isSecure }: HttpProxy, onread?: ReturnType<typeof lending>): Socket {
    const where = { host, port, ...(onread && { onread }) }
    const servername = isIP(host) ? '' : host
    const socket = isSecure ? connectSecurely({ ...where, ...this.#trust, servername }) : connect(where)
    return socket.setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS)
  }
}

function readyEvent({ isSecure }: HttpProxy): 'secureConnect' | 'connect' {
  return isSecure ? 'secureConnect' : 'connect'
}

function attended(socket: Socket, line: Pick<Line, 'ended' | 'died'>): Socket {
  socket.on('error', (error) => line.died(error))
  socket.on('end', () => line.ended())
  socket.on('close', () => line.died(new WireFailure('reset')))
  return socket.setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS)
}

function lending(line: Line) {
  const callback = (length: number): true => {
    line.arrived(ARRIVALS.subarray(0, length))
    return true
  }
  return { buffer: ARRIVALS, callback }
}
