import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { connect as connectPlainly, isIP, type Socket } from 'node:net'
import { connect as connectSecurely, type TLSSocket } from 'node:tls'
import { WireFailure } from '../../../translation/wire/wire.ts'
import type { Trust } from '../http1/dialer.ts'
import { type ParsedUrl, parseUrl } from '../http1/request-text.ts'
import type { ChooseProxy } from '../proxy/choose-proxy.ts'
import { openTunnel } from '../proxy/open-tunnel.ts'
import type { HttpProxy } from '../proxy/proxy.ts'

// A client for the few who speak only HTTP/2, such as collectors with gRPC: one connection to one origin, and small answers.

export type Http2Request = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}
/** Trailers are among the headers. */
export type Http2Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

type Http2Options = { trust?: Trust | undefined; chooseProxy?: ChooseProxy | undefined }

const MAX_ANSWER_BYTES = 64 * 1024

export class Http2Client {
  readonly #url: ParsedUrl
  readonly #trust: Trust
  readonly #proxy: HttpProxy | undefined
  #session: Promise<ClientHttp2Session> | undefined

  constructor(origin: string, { trust = {}, chooseProxy }: Http2Options = {}) {
    this.#url = parseUrl(origin)
    this.#trust = trust
    this.#proxy = chooseProxy?.(this.#url)
  }

  /** Resolves when the answer has ended, and rejects if it does not: then the next request opens another connection. */
  async request(request: Http2Request, signal: AbortSignal): Promise<Http2Answer> {
    signal.throwIfAborted()
    this.#session ??= this.#open(signal)
    const session = await unlessAborted(this.#session, signal).catch((error) => {
      this.#session = undefined
      throw error
    })
    try {
      return await exchange(session, request, signal)
    } catch (error) {
      this.#forget(session)
      session.destroy()
      throw error
    }
  }

  close(): void {
    const session = this.#session
    this.#session = undefined
    session?.then(
      (one) => one.close(),
      () => undefined,
    )
  }

  async #open(signal: AbortSignal): Promise<ClientHttp2Session> {
    const socket = await this.#dial(signal)
    const session = connect(this.#url.origin, { createConnection: () => socket })
    const gone = () => this.#forget(session)
    // What fails is told to the request that runs. A server that leaves says so, and gets no further request.
    session.on('error', gone).on('goaway', gone).on('close', gone)
    return session
  }

  #forget(session: ClientHttp2Session): void {
    this.#session?.then(
      (one) => {
        if (one === session) this.#session = undefined
      },
      () => undefined,
    )
  }

  /** A connected socket: through a tunnel if there is a proxy, and with TLS for https. */
  async #dial(signal: AbortSignal): Promise<Socket> {
    const { hostname: host, port, isSecure } = this.#url
    const proxy = this.#proxy
    const outer = proxy
      ? proxy.isSecure
        ? await this.#secured(signal, { host: proxy.host, port: proxy.port })
        : await connected(connectPlainly({ host: proxy.host, port: proxy.port }), 'connect', signal)
      : undefined
    if (outer && proxy) await tunnelled(outer, openTunnel(outer, { host, port }, proxy), signal)
    if (!isSecure) return outer ?? (await connected(connectPlainly({ host, port }), 'connect', signal))
    const socket = await this.#secured(signal, { host, port, ...(outer && { socket: outer }), ALPNProtocols: ['h2'] })
    if (socket.alpnProtocol === 'h2') return socket
    socket.destroy()
    throw new WireFailure('protocol')
  }

  async #secured(
    signal: AbortSignal,
    where: { host: string; port: number; socket?: Socket; ALPNProtocols?: string[] },
  ): Promise<TLSSocket> {
    const servername = isIP(where.host) ? '' : where.host
    return await connected(connectSecurely({ ...where, ...this.#trust, servername }), 'secureConnect', signal)
  }
}

function connected<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<S>()
  const abort = () => socket.destroy(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  socket.setNoDelay(true).once(event, () => resolve(socket))
  socket.once('error', reject).once('close', () => reject(new WireFailure('reset')))
  return promise.finally(() => signal.removeEventListener('abort', abort))
}

/** The tunnel has no signal of its own, but it ends with its socket. */
async function tunnelled(outer: Socket, opened: Promise<void>, signal: AbortSignal): Promise<void> {
  await unlessAborted(opened, signal).catch((error) => {
    outer.destroy()
    throw error
  })
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}

function exchange(
  session: ClientHttp2Session,
  { path, headers, body }: Http2Request,
  signal: AbortSignal,
): Promise<Http2Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Http2Answer>()
  const stream = session.request({ ...headers, ':method': 'POST', ':path': path })
  const abort = () => stream.destroy(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  collect(stream, resolve, reject)
  stream.end(body)
  return promise.finally(() => signal.removeEventListener('abort', abort))
}

function collect(
  stream: ClientHttp2Stream,
  resolve: (answer: Http2Answer) => void,
  reject: (error: Error) => void,
): void {
  const chunks: Buffer[] = []
  let [length, status, hasEnded] = [0, 0, false]
  const all: Record<string, string | undefined> = {}
  const note = (headers: IncomingHttpHeaders) => {
    for (const [name, value] of Object.entries(headers)) all[name] = String(value)
  }
  stream
    .on('response', (headers) => {
      status = headers[':status'] ?? 0
      note(headers)
    })
    .on('trailers', note)
    .on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > MAX_ANSWER_BYTES) stream.destroy(new WireFailure('protocol'))
      else chunks.push(chunk)
    })
    .on('end', () => {
      hasEnded = true
    })
    .on('error', reject)
    .on('close', () => {
      if (hasEnded && status > 0 && stream.rstCode === constants.NGHTTP2_NO_ERROR)
        resolve({ status, headers: all, body: Buffer.concat(chunks) })
      else reject(new WireFailure('reset'))
    })
}
