import { Buffer } from 'node:buffer'
import { type Send, type SendOptions, WireFailure, type WireRequest, type WireResponse } from '../wire/wire.ts'
import { BodyQueue } from './body-queue.ts'
import type { Connection, RequestBytes } from './http1/connection.ts'
import { Dialer, type Trust } from './http1/dialer.ts'
import { Pool, type PoolOptions, type Waiting } from './http1/pool.ts'
import { type Place, placeOf, requestHead } from './http1/request-text.ts'
import { Batch } from './batch.ts'
import { plainResponse } from './plain-body.ts'
import { toWireFailure } from './wire-failures.ts'

// This is our own client: with undici's dispatch, its fastest interface, a chat took a seventh more CPU (bench/README.md).

export type Upstream = { send: Send; close(): Promise<void> }

export function openUpstream(trust: Trust = {}, pooling: PoolOptions = {}): Upstream {
  const pools = new Map<string, Pool>()
  const openPool = (place: Place) => new Pool(new Dialer(place, trust), pooling)
  return {
    send: (request, options) => send(pools, openPool, request, options),
    close: async () => {
      for (const pool of pools.values()) pool.close()
      pools.clear()
    },
  }
}

function send(
  pools: Map<string, Pool>,
  openPool: (place: Place) => Pool,
  request: WireRequest,
  options: SendOptions,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const place = placeOf(request.url)
    const exchange = new Exchange(bytesOf(request, place), options, resolve, reject)
    if (options.signal.aborted) exchange.abort()
    else poolOf(pools, place, openPool).ask(exchange)
  })
}

/** There are only as many origins as the operator has configured, and the few that providers redirect us to. */
const MAX_POOLS = 1_000

function poolOf(pools: Map<string, Pool>, place: Place, openPool: (place: Place) => Pool): Pool {
  const known = pools.get(place.origin)
  if (known) return known
  if (pools.size >= MAX_POOLS) for (const [origin, { isUnused }] of pools) if (isUnused) pools.delete(origin)
  const pool = openPool(place)
  pools.set(place.origin, pool)
  return pool
}

function bytesOf(request: WireRequest, place: Place): RequestBytes {
  const { body, source } = request
  if (source) return { head: requestHead(request, place, source.length), body: null, source }
  if (body === null) return { head: requestHead(request, place, null), body }
  const length = Buffer.byteLength(body)
  const head = requestHead(request, place, length)
  return { head, body: typeof body === 'string' && length !== body.length ? Buffer.from(body) : body }
}

const answers = new Batch<Exchange>((exchange) => exchange.deliver())

/** One request and its answer. The connection calls these methods, and the queue passes the bytes to the reader. */
class Exchange implements Waiting {
  readonly request: RequestBytes
  readonly limits: SendOptions['limits']
  readonly owner: string
  readonly signal: AbortSignal
  readonly #resolve: (response: WireResponse) => void
  readonly #reject: (error: unknown) => void
  #connection: Connection | undefined
  #response: WireResponse | undefined
  #body: BodyQueue | undefined
  isOver = false

  constructor(
    request: RequestBytes,
    { signal, limits, owner }: SendOptions,
    resolve: (response: WireResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.request = request
    this.limits = limits
    this.owner = owner
    this.signal = signal
    this.#resolve = resolve
    this.#reject = reject
    // The listener is never removed: the signal lives only as long as one call, and removing it costs more than the rest of
    // this class.
    signal.addEventListener('abort', () => this.abort())
  }

  began(connection: Connection): void {
    this.#connection = connection
  }

  head(status: number, headers: WireResponse['headers']): void {
    this.#body = new BodyQueue(this)
    this.#response = { status, headers, body: this.#body }
    answers.add(this)
  }

  deliver(): void {
    this.#resolve(plainResponse(this.#response!))
    this.#response = undefined
  }

  data(lent: Buffer): void {
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
    const connection = this.#connection
    this.fail(new WireFailure('reset'))
    connection?.leave(this)
  }
}
