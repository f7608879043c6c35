import { setTimeout as sleep } from 'node:timers/promises'
import { type ClaimCapacity, claimCapacity } from '../../base/fairness/claim-capacity.ts'
import { capacityFor } from '../../base/fairness/fair-semaphore.ts'

/** An idle store is polled four times less often than a busy one. Work from another process then starts a little later. */
const IDLE_FACTOR = 4

type ClaimLoopOptions<Item extends { owner: string }> = {
  /** How often to poll while `wake` is not called. The interval grows while polls find nothing. */
  pollMs: number
  /** How many items of one owner may run at once. A third more places exist for other owners. */
  concurrency: number
  claim(capacity: ClaimCapacity): Promise<Item[]>
  /** Must not reject. */
  run(item: Item): Promise<void>
  /** Called when claiming fails, once until it succeeds again. */
  failed(error: unknown): void
}

/** Claims work from the store while there is work and capacity, one claim at a time. */
export class ClaimLoop<Item extends { owner: string }> {
  readonly #options: ClaimLoopOptions<Item>
  readonly #running: RunningItems
  readonly #ended: Promise<void>
  #wakeUp = Promise.withResolvers<void>()
  #mayHaveWork = true
  #isFailing = false
  #isStopped = false
  #emptyClaims = 0
  #pollTimer: NodeJS.Timeout

  constructor(options: ClaimLoopOptions<Item>) {
    this.#options = options
    this.#running = new RunningItems(capacityFor(options.concurrency))
    this.#pollTimer = setTimeout(() => this.#poll(), options.pollMs)
    this.#ended = this.#loop()
  }

  get running(): number {
    return this.#running.size
  }

  /** Says that there may be something to claim. */
  wake(): void {
    this.#mayHaveWork = true
    this.#wakeUp.resolve()
  }

  /** Stops claiming, and returns when everything that runs has ended or the grace period is over. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#pollTimer)
    this.#wakeUp.resolve()
    await this.#ended
    const grace = new AbortController()
    const over = sleep(graceMs, undefined, { signal: grace.signal }).catch(() => {})
    await Promise.race([this.#running.allEnded(), over])
    grace.abort()
  }

  async #loop() {
    while (!this.#isStopped) {
      if (this.#mayHaveWork && !this.#running.isFull) await this.#claim()
      else await this.#rest()
    }
  }

  async #claim() {
    this.#mayHaveWork = false
    try {
      const items = await this.#options.claim(this.#running.claimable())
      this.#isFailing = false
      for (const item of items) this.#start(item)
      // The store may hold more than one claim returns.
      if (items.length > 0) this.#mayHaveWork = true
      this.#emptyClaims = items.length > 0 ? 0 : this.#emptyClaims + 1
    } catch (error) {
      if (!this.#isFailing) this.#options.failed(error)
      this.#isFailing = true
    }
  }

  #start(item: Item) {
    // The owner may have been at its share, so that more of its work waits.
    this.#running.add(item.owner, this.#options.run(item), () => this.wake())
  }

  async #rest() {
    await this.#wakeUp.promise
    this.#wakeUp = Promise.withResolvers()
  }

  #poll() {
    this.wake()
    const factor = Math.min(IDLE_FACTOR, 1 + Math.floor(this.#emptyClaims / IDLE_FACTOR))
    this.#pollTimer = setTimeout(() => this.#poll(), this.#options.pollMs * factor)
  }
}

/** Counts what runs, in all and for each owner. */
class RunningItems {
  readonly #capacity: number
  readonly #work = new Set<Promise<void>>()
  readonly #countByOwner = new Map<string, number>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#work.size
  }

  get isFull(): boolean {
    return this.#work.size >= this.#capacity
  }

  claimable(): ClaimCapacity {
    return claimCapacity(this.#countByOwner, this.#capacity)
  }

  add(owner: string, running: Promise<void>, ended: () => void): void {
    this.#count(owner, 1)
    const work = running.finally(() => {
      this.#work.delete(work)
      this.#count(owner, -1)
      ended()
    })
    this.#work.add(work)
  }

  allEnded(): Promise<unknown> {
    return Promise.all(this.#work)
  }

  #count(owner: string, change: number) {
    const count = (this.#countByOwner.get(owner) ?? 0) + change
    if (count > 0) this.#countByOwner.set(owner, count)
    else this.#countByOwner.delete(owner)
  }
}
