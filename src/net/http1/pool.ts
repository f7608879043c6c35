import { performance } from 'node:perf_hooks'
import { WireFailure } from '../../contract/wire.ts'
import { Turn } from '../turn.ts'
import { type Asker, Connection } from './connection.ts'
import type { Dialer } from './dialer.ts'

/** More sockets than this to one provider only queue inside us; overload is answered before it comes to that. */
const MAX_CONNECTIONS = 1_024

/**
 * A connection that has just answered is left alone for this long where another can be had. Who answers twice mostly does so
 * at once, and the second answer then finds nobody who waits for one. At 1,000 requests a second it takes ten connections.
 */
const QUIET_MS = 10

/** Something that waits for its turn: an asker, and whether it still wants an answer. */
export type Waiting = Asker & { readonly isOver: boolean; began(connection: Connection): void }

type Reserved = { asker: Waiting; connection: Connection }

/** The connections to one origin. */
export class Pool {
  readonly #dialer: Dialer
  readonly #maxConnections: number
  readonly #quietMs: number
  readonly #all = new Set<Connection>()
  /** Of those that were quiet, the last that became free is the first to be used: the others may grow old and leave. */
  readonly #free: Connection[] = []
  readonly #waiting: Waiting[] = []
  /** Who takes a free connection when this turn of the loop ends: so many of the free ones are spoken for. */
  readonly #next = new Turn<Waiting>((asker) => this.#reserve(asker))
  readonly #reserved = new Turn<Reserved>((reserved) => this.#begin(reserved))
  #isClosed = false

  constructor(dialer: Dialer, { maxConnections = MAX_CONNECTIONS, quietMs = QUIET_MS } = {}) {
    this.#dialer = dialer
    this.#maxConnections = maxConnections
    this.#quietMs = quietMs
  }

  get isUnused(): boolean {
    return this.#all.size === 0
  }

  /**
   * A free connection is used only after it was quiet for a while, and after the loop has looked at all sockets once more:
   * what the other side sent before without being asked, or that it has closed, is known by then. Otherwise it would be
   * taken for the answer. The look takes two turns: this one may have looked before the bytes came.
   */
  ask(asker: Waiting): void {
    if (this.#usable > this.#next.size) this.#next.add(asker)
    else this.#openFor(asker)
  }

  close(): void {
    this.#isClosed = true
    for (const asker of [...this.#waiting.splice(0), ...this.#next.clear()]) asker.fail(new WireFailure('reset'))
    for (const connection of this.#all) connection.close()
  }

  free(connection: Connection): void {
    this.#free.push(connection)
    const asker = this.#nextWaiting()
    if (asker) this.ask(asker)
  }

  gone(connection: Connection): void {
    this.#all.delete(connection)
    const place = this.#free.indexOf(connection)
    if (place >= 0) this.#free.splice(place, 1)
    const asker = this.#nextWaiting()
    if (asker) this.#openFor(asker)
  }

  /** How many of the free connections may be asked now: where no other can be had, also those that just answered. */
  get #usable(): number {
    return this.#all.size < this.#maxConnections ? this.#countQuiet() : this.#free.length
  }

  #countQuiet(): number {
    const since = performance.now() - this.#quietMs
    let count = this.#free.length
    while (count > 0 && this.#free[count - 1]!.freeSince > since) count--
    return count
  }

  #reserve(asker: Waiting): void {
    const place = Math.max(0, this.#countQuiet() - 1)
    const [connection] = this.#usable > 0 ? this.#free.splice(place, 1) : []
    if (connection) this.#reserved.add({ asker, connection })
    else if (!asker.isOver) this.#openFor(asker)
  }

  #begin({ asker, connection }: Reserved): void {
    if (connection.isGone) {
      if (!asker.isOver) this.ask(asker)
    } else if (asker.isOver) this.free(connection)
    else {
      asker.began(connection)
      connection.ask(asker)
    }
  }

  #openFor(asker: Waiting): void {
    if (this.#isClosed) return asker.fail(new WireFailure('reset'))
    if (this.#all.size >= this.#maxConnections) return void this.#waiting.push(asker)
    const connection = new Connection(this.#dialer, this, asker)
    this.#all.add(connection)
    asker.began(connection)
  }

  #nextWaiting(): Waiting | undefined {
    for (let asker = this.#waiting.shift(); asker; asker = this.#waiting.shift()) if (!asker.isOver) return asker
    return undefined
  }
}
