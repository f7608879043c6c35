import type { Duplex } from 'node:stream'
import { capacityFor, FairSemaphore } from '../../base/fairness/fair-semaphore.ts'
import { type Health, OVERLOADED } from '../health.ts'

/** How many WebSockets one owner may have open. A third more places exist for other owners. */
const MAX_OPEN = 1_000

/** A WebSocket that can be told that the gateway will stop. */
type Leaving = { leave(): void }

/** The open WebSockets of a listener. */
export class OpenSockets {
  readonly #places = new FairSemaphore({ capacity: capacityFor(MAX_OPEN) })
  readonly #open = new Set<Leaving>()

  constructor(health: Health) {
    health.whenDraining(() => {
      for (const socket of this.#open) socket.leave()
    })
  }

  /** Takes a place for the connection of a request, or throws the refusal. The connection keeps it until it is closed. */
  enter(owner: string, connection: Duplex): void {
    if (!this.#places.tryAcquire(owner)) throw OVERLOADED
    if (connection.destroyed) this.#places.release(owner)
    else connection.once('close', () => this.#places.release(owner))
  }

  add(socket: Leaving, connection: Duplex): void {
    this.#open.add(socket)
    connection.once('close', () => this.#open.delete(socket))
  }
}
