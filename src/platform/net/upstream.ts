import { Buffer } from 'node:buffer'
import { encodeLong } from '../../base/bytes/encode-long.ts'
import { performance } from 'node:perf_hooks'
import { upstreamIdOf } from '../../translation/wire/upstream-id.ts'
import {
  type Send,
  type SendOptions,
  WireFailure,
  type WireRequest,
  type WireResponse,
  type SendReport,
} from '../../translation/wire/wire.ts'
import { BodyQueue } from './body-queue.ts'
import type { Connection, RequestBytes } from './http1/connection.ts'
import { Dialer, type Trust } from './http1/dialer.ts'
import { type ConnectionCounts, Pool, type PoolOptions, type Waiting } from './http1/pool.ts'
import { type ParsedUrl, parseUrl, requestHead } from './http1/request-text.ts'
import { Batch } from './batch.ts'
import { plainResponse } from './plain-body.ts'
import type { ChooseProxy } from './proxy/choose-proxy.ts'
import type { HttpProxy } from './proxy/proxy.ts'
import { proxyRefusal } from './proxy/proxy-failure.ts'
import { toWireFailure } from './wire-failures.ts'

// This is our own client: with undici's dispatch, its fastest interface, a chat took a seventh more CPU (bench/README.md).

export type Upstream = {
  send: Send
  /** The connections to each origin. */
  connections(): Iterable<[origin: string, counts: ConnectionCounts]>
  close(): Promise<void>
}

type UpstreamOptions = PoolOptions & { trust?: Trust; chooseProxy?: ChooseProxy }

/** The connections to one origin, and the proxy that they go through. */
type PooledOrigin = { pool: Pool; proxy: HttpProxy | undefined }
type PooledOrigins = { opened: Map<string, PooledOrigin>; open(parsed: ParsedUrl): PooledOrigin }

export function openUpstream({ trust = {}, chooseProxy, ...pooling }: UpstreamOptions = {}): Upstream {
  const pools = new Map<string, PooledOrigin>()
  const open = (parsed: ParsedUrl) => {
    const proxy = chooseProxy?.(parsed)
    return { pool: new Pool(new Dialer(parsed, trust, proxy), pooling), proxy }
  }
  return {
    send: (request, options) => send({ opened: pools, open }, request, options),
    connections: () => Array.from(pools, ([origin, { pool }]) => [origin, pool.counts]),
    close: async () => {
      for (const { pool } of pools.values()) pool.close()
      pools.clear()
    },
  }
}

function send(origins: PooledOrigins, request: WireRequest, options: SendOptions): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const parsed = parseUrl(request.url)
    const { pool, proxy } = pooledOrigin(parsed, origins)
    const traced = options.report?.traceparent ? withTraceparent(request, options.report.traceparent) : request
    const exchange = new Exchange(bytesOf(traced, parsed, proxy), options, { resolve, reject, proxy })
    if (options.signal.aborted) exchange.abort()
    else pool.ask(exchange)
  })
}

/** A request may be sent again with another trace, so it is not changed. */
function withTraceparent(request: WireRequest, traceparent: string): WireRequest {
  return { ...request, headers: { ...request.headers, traceparent } }
}

/** There are only as many origins as the operator has configured, and the few that providers redirect us to. */
const MAX_POOLS = 1_000

function pooledOrigin(parsed: ParsedUrl, { opened, open }: PooledOrigins): PooledOrigin {
  const found = opened.get(parsed.origin)
  if (found) return found
  if (opened.size >= MAX_POOLS) for (const [origin, { pool }] of opened) if (pool.isUnused) opened.delete(origin)
  const route = open(parsed)
  opened.set(parsed.origin, route)
  return route
}

function bytesOf(request: WireRequest, parsed: ParsedUrl, proxy: HttpProxy | undefined): RequestBytes {
  const { source } = request
  if (source) return { head: requestHead(request, parsed, { length: source.length, proxy }), body: null, source }
  if (request.body === null) return { head: requestHead(request, parsed, { length: null, proxy }), body: null }
  const body = typeof request.body === 'string' ? encodeLong(request.body) : request.body
  const length = Buffer.byteLength(body)
  const head = requestHead(request, parsed, { length, proxy })
  return { head, body: typeof body === 'string' && length !== body.length ? Buffer.from(body) : body }
}

type Asking = {
  resolve(response: WireResponse): void
  reject(error: unknown): void
  proxy: HttpProxy | undefined
}

const answers = new Batch<Exchange>((exchange) => exchange.deliver())

/** One request and its answer. The connection calls these methods, and the queue passes the bytes to the reader. */
class Exchange implements Waiting {
  readonly request: RequestBytes
  readonly timeouts: SendOptions['timeouts']
  readonly owner: string
  readonly signal: AbortSignal
  readonly #resolve: (response: WireResponse) => void
  readonly #reject: (error: unknown) => void
  readonly #proxy: HttpProxy | undefined
  readonly #report: SendReport | undefined
  readonly #startedAt: number
  #connection: Connection | undefined
  #response: WireResponse | undefined
  #body: BodyQueue | undefined
  isOver = false

  constructor(
    request: RequestBytes,
    { signal, timeouts, owner, report }: SendOptions,
    { resolve, reject, proxy }: Asking,
  ) {
    this.request = request
    this.timeouts = timeouts
    this.owner = owner
    this.signal = signal
    this.#resolve = resolve
    this.#reject = reject
    this.#proxy = proxy
    this.#report = report
    this.#startedAt = report ? performance.now() : 0
    if (report) report.sentAt = this.#startedAt
    // The listener is never removed: the signal lives only as long as one call, and removing it costs more than the rest of
    // this class.
    signal.addEventListener('abort', () => this.abort())
  }

  began(connection: Connection): void {
    this.#connection = connection
  }

  connected(): void {
    if (this.#report) this.#report.connectMs = performance.now() - this.#startedAt
    this.written()
  }

  /** There is a connection, to which the request is written now. */
  written(): void {
    if (this.#report) this.#report.isWritten = true
  }

  head(status: number, headers: WireResponse['headers']): void {
    if (this.#report) noteHead(this.#report, status, headers, this.#startedAt)
    if (status === 407 && this.#proxy) return this.#refuse(proxyRefusal(this.#proxy, status))
    this.#body = new BodyQueue(this)
    this.#response = { status, headers, body: this.#body }
    answers.add(this)
  }

  deliver(): void {
    this.#resolve(plainResponse(this.#response!))
    this.#response = undefined
  }

  data(lent: Buffer): void {
    if (this.#report) this.#report.arrivedAt = performance.now()
    this.#body?.push(lent, true)
  }

  end(): void {
    this.isOver = true
    this.#body?.end()
    this.#forget()
  }

  fail(error: Error): void {
    if (this.isOver) return
    this.isOver = true
    const failure = this.signal.aborted ? (this.signal.reason as Error) : toWireFailure(error)
    if (this.#body) this.#body.end(failure)
    else this.#reject(failure)
    this.#forget()
  }

  /** The signal may outlive this exchange by hours and refers to it. */
  #forget(): void {
    this.#body = undefined
    this.#connection = undefined
  }

  pause(): void {
    this.#connection?.pause()
  }

  resume(): void {
    if (!this.isOver) this.#connection?.resume()
  }

  /** Called by the call's signal, or by a reader that stops early. */
  abort(): void {
    if (this.isOver) return
    this.#refuse(new WireFailure('reset'))
  }

  /** Nothing of this answer is wanted. */
  #refuse(failure: WireFailure): void {
    const connection = this.#connection
    this.fail(failure)
    connection?.leave(this)
  }
}

/** Notes the head of an answer. */
function noteHead(report: SendReport, status: number, headers: WireResponse['headers'], startedAt: number): void {
  report.status = status
  report.upstreamId = upstreamIdOf(headers)
  report.arrivedAt = performance.now()
  report.firstByteMs = report.arrivedAt - startedAt
}
