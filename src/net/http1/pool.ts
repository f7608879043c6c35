import { WireFailure } from '../../contract/wire.ts'
import { capacityFor, FairSemaphore } from '../../fairness/fair-semaphore.ts'
import { Turn } from '../turn.ts'
import { type Asker, Connection } from './connection.ts'
import type { Dialer } from './dialer.ts'

/** What one owner may use at once of one provider; a third more are there for others. */
const MAX_CONNECTIONS = 1_024
/** More than can be in flight at once: overload is answered before it comes to that. */
const MAX_WAITING = 10_000

/** Something that waits for its turn: an asker, whose it is, and whether it still wants an answer. */
export type Waiting = Asker & {
  readonly owner: string
  readonly signal: AbortSignal
  readonly isOver: boolean
  began(connection: Connection): void
}

type Reserved = { asker: Waiting; connection: Connection }

/** The connections to one origin. */
export class Pool {
  readonly #dialer: Dialer
  /** Connections in use: from when they are meant for somebody until they are free or gone. */
  readonly #inUse: FairSemaphore
  readonly #all = new Set<Connection>()
  /** The last that became free is the first to be used: the others may grow old and leave. */
  readonly #free: Connection[] = []
  /** Who takes a free connection when this turn of the loop ends: so many of the free ones are spoken for. */
  readonly #next = new Turn<Waiting>((asker) => this.#reserve(asker))
  readonly #reserved = new Turn<Reserved>((reserved) => this.#begin(reserved))
  #isClosed = false

  constructor(dialer: Dialer, maxConnections = MAX_CONNECTIONS) {
    this.#dialer = dialer
    this.#inUse = new FairSemaphore({ capacity: capacityFor(maxConnections), maxWaiting: MAX_WAITING })
  }

  get isUnused(): boolean {
    return this.#all.size === 0
  }

  ask(asker: Waiting): void {
    if (this.#isClosed) asker.fail(new WireFailure('reset'))
    else if (this.#inUse.tryAcquire(asker.owner)) this.#admit(asker)
    else this.#wait(asker)
  }

  #wait(asker: Waiting): void {
    this.#inUse.acquire(asker.owner, 1, asker.signal).then(
      () => this.#admit(asker),
      (reason) => asker.fail(reason),
    )
  }

  /**
   * A free connection is used only after the loop has looked at all sockets once: what the other side sent before
   * without being asked, or that it has closed, is known by then. Otherwise it would be taken for the answer. It takes
   * two turns: this one may have looked before the bytes came, or before the connection became free.
   */
  #admit(asker: Waiting): void {
    if (this.#free.length > this.#next.size) this.#next.add(asker)
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
    const place = this.#free.indexOf(connection)
    if (place >= 0) this.#free.splice(place, 1)
    this.#release(connection)
  }

  #release(connection: Connection): void {
    const { usedBy } = connection
    connection.usedBy = undefined
    if (usedBy !== undefined) this.#inUse.release(usedBy)
  }

  #reserve(asker: Waiting): void {
    const connection = this.#free.pop()
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
