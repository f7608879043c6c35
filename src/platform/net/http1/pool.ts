import { performance } from 'node:perf_hooks'
import { WireFailure } from '../../../translation/wire/wire.ts'
import { FairSemaphore, NoCapacity } from '../../../base/fairness/fair-semaphore.ts'
import { Batch } from '../batch.ts'
import { type Asker, Connection } from './connection.ts'
import type { Dialer } from './dialer.ts'

/** How many connections to one origin may be in use at once. One owner gets at most three quarters of them. */
const MAX_CONNECTIONS = 16_384
/** How long a request waits if all connections are in use. Most answers take longer, so a longer wait helps few callers. */
const WAIT_MS = 250
const MAX_WAITING = 1_000
/**
 * How long a connection is idle before it is replaced, if its server does not say how long it keeps one. Common servers close
 * them after 5 s without saying so, and a request that meets this is lost.
 */
const IDLE_MS = 4_000

/**
 * A connection that has just answered rests for this long if another one is available. A server that answers twice usually
 * does so at once, and then no request is waiting for the second answer. If the sender delays small writes (Nagle), it sends
 * the second answer only when we acknowledge the first, which Linux delays for 40 ms or until our next request.
 */
const QUIET_MS = 50
/**
 * If this many connections are resting, the one that has rested longest is used. Hundreds of them would cost a third of a
 * chat's CPU.
 */
const MAX_RESTING = 32

/** A request that waits for its turn: its owner, and whether it still wants an answer. */
export type Waiting = Asker & {
  readonly owner: string
  readonly signal: AbortSignal
  readonly isOver: boolean
  began(connection: Connection): void
  /** Its connection is open already, so it is written at once. */
  written(): void
}

/**
 * `quietMs` is how long a connection rests after an answer, `idleMs` how long it may be idle, `waitMs` how long a request waits
 * for a connection.
 */
export type PoolOptions = {
  maxConnections?: number | undefined
  quietMs?: number | undefined
  idleMs?: number | undefined
  waitMs?: number | undefined
}

/** Open connections, those of them that no request uses, and requests that wait because all are in use. */
export type ConnectionCounts = { open: number; idle: number; waiting: number }

type Reserved = { asker: Waiting; connection: Connection }

/** The connections to one origin. */
export class Pool {
  readonly #dialer: Dialer
  readonly #quietMs: number
  readonly idleMs: number
  readonly #waitMs: number
  /** Counts connections in use: from their assignment until they are free or closed. */
  readonly #inUse: FairSemaphore
  readonly #all = new Set<Connection>()
  /** The connection that became free last is used first, so that the others can grow old and close. */
  readonly #free: Connection[] = []
  /** Requests that take a free connection at the end of this turn; that many free connections are reserved. */
  readonly #next = new Batch<Waiting>((asker) => this.#reserve(asker))
  readonly #reserved = new Batch<Reserved>((reserved) => this.#begin(reserved))
  #waiting = 0
  #isClosed = false

  constructor(dialer: Dialer, options: PoolOptions = {}) {
    const { maxConnections = MAX_CONNECTIONS, quietMs = QUIET_MS, idleMs = IDLE_MS, waitMs = WAIT_MS } = options
    this.#dialer = dialer
    this.#quietMs = quietMs
    this.idleMs = idleMs
    this.#waitMs = waitMs
    this.#inUse = new FairSemaphore({ capacity: maxConnections, maxWaiting: MAX_WAITING })
  }

  get isUnused(): boolean {
    return this.#all.size === 0
  }

  get counts(): ConnectionCounts {
    return { open: this.#all.size, idle: this.#free.length, waiting: this.#waiting }
  }

  ask(asker: Waiting): void {
    if (this.#isClosed) asker.fail(new WireFailure('reset'))
    else if (this.#inUse.tryAcquire(asker.owner)) this.#serve(asker)
    else this.#wait(asker)
  }

  #wait(asker: Waiting): void {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new NoCapacity()), this.#waitMs)
    this.#waiting++
    this.#inUse
      .acquire(asker.owner, 1, AbortSignal.any([asker.signal, late.signal]))
      .finally(() => {
        clearTimeout(timer)
        this.#waiting--
      })
      .then(
        () => this.#serve(asker),
        (reason) => asker.fail(reason),
      )
  }

  /**
   * A free connection is used only after it was quiet for a while and after the event loop has polled all sockets once
   * more. By then it is known whether the server sent unexpected bytes or closed the connection. Otherwise those bytes
   * would be taken for the answer. This takes two turns, because the current turn may have polled before the bytes arrived.
   */
  #serve(asker: Waiting): void {
    if (this.#usable > this.#next.size) this.#next.add(asker)
    else this.#openFor(asker)
  }

  close(): void {
    this.#isClosed = true
    this.#inUse.close(new WireFailure('reset'))
    for (const asker of this.#next.clear()) asker.fail(new WireFailure('reset'))
    for (const connection of this.#all) connection.close()
  }

  free(connection: Connection): void {
    this.#free.push(connection)
    this.#release(connection)
  }

  gone(connection: Connection): void {
    this.#all.delete(connection)
    const index = this.#free.indexOf(connection)
    if (index >= 0) this.#free.splice(index, 1)
    this.#release(connection)
  }

  #release(connection: Connection): void {
    const { usedBy } = connection
    connection.usedBy = undefined
    if (usedBy !== undefined) this.#inUse.release(usedBy)
  }

  /** How many free connections may be used now. If no other is available, this includes those that have just answered. */
  get #usable(): number {
    return this.#hasEnough ? this.#free.length : this.#countQuiet()
  }

  get #hasEnough(): boolean {
    return this.#free.length >= MAX_RESTING || this.#all.size >= this.#inUse.capacity
  }

  #countQuiet(): number {
    const since = performance.now() - this.#quietMs
    let count = this.#free.length
    while (count > 0 && this.#free[count - 1]!.freeSince > since) count--
    return count
  }

  #reserve(asker: Waiting): void {
    const quiet = this.#countQuiet()
    const connection = quiet > 0 || this.#hasEnough ? this.#free.splice(Math.max(0, quiet - 1), 1)[0] : undefined
    if (!connection) return this.#openFor(asker)
    connection.usedBy = asker.owner
    this.#reserved.add({ asker, connection })
  }

  #begin({ asker, connection }: Reserved): void {
    if (connection.isGone) {
      if (!asker.isOver) this.ask(asker)
    } else if (asker.isOver) this.free(connection)
    else {
      asker.began(connection)
      asker.written()
      connection.ask(asker)
    }
  }

  #openFor(asker: Waiting): void {
    if (asker.isOver) return this.#inUse.release(asker.owner)
    const connection = new Connection(this.#dialer, this, asker)
    connection.usedBy = asker.owner
    this.#all.add(connection)
    asker.began(connection)
  }
}
