/** Limits of a shared resource: bytes, connections, threads. `maxWaiting` bounds the queue of each owner. */
type FairSemaphoreOptions = { capacity: number; share?: number; maxWaiting?: number }

/** Thrown if an owner has too many requests waiting, waits too long, or asks for more than the total. */
export class NoCapacity extends Error {}

/** What one request already holds. The semaphore adds what it grants; the code that releases subtracts. */
export type Holder = { held: number }

type Waiting = Demand & { resolve(): void; reject(reason: unknown): void; leave(): void }
type Demand = { units: number; holder?: Holder | undefined }
type Owner = { used: number; waiting: Waiting[] }

/** An owner may hold this many times what is still free. */
export const DEFAULT_SHARE = 3
const DEFAULT_MAX_WAITING = 1_000
const MAX_IDLE_OWNERS = 1_000

/** The capacity that lets a single owner get `perOwner` and leaves something for others. */
export function capacityFor(perOwner: number, share = DEFAULT_SHARE): number {
  return Math.ceil((perOwner * (share + 1)) / share)
}

/**
 * Shares a number of units between owners so that none can keep the others out. An owner may hold `share` times as much as
 * would still be free (dynamic thresholds, as in shared-memory switches): alone it gets share / (share + 1) of everything,
 * and an owner that holds nothing yet nearly always finds some. Waiting owners are served in rotation.
 */
export class FairSemaphore {
  readonly capacity: number
  readonly #share: number
  readonly #maxWaiting: number
  readonly #owners = new Map<string, Owner>()
  /** Owners with waiting requests; the first is served next. */
  readonly #rotation = new Set<string>()
  #free: number

  constructor({ capacity, share = DEFAULT_SHARE, maxWaiting = DEFAULT_MAX_WAITING }: FairSemaphoreOptions) {
    this.capacity = capacity
    this.#free = capacity
    this.#share = share
    this.#maxWaiting = maxWaiting
  }

  get used(): number {
    return this.capacity - this.#free
  }

  usedBy(owner: string): number {
    return this.#owners.get(owner)?.used ?? 0
  }

  /** Returns false if the owner has to wait, because of what it already holds or because nothing is left. */
  tryAcquire(owner: string, units = 1, holder?: Holder): boolean {
    const state = this.#stateOf(owner)
    if (isBehind(state.waiting, holder) || !this.#fits(state, units, holder)) return false
    this.#take(state, units, holder)
    return true
  }

  /**
   * Resolves when the owner has the units. Rejects with the signal's reason, or at once with NoCapacity. A `holder` may
   * grow into everything that is free as long as its owner holds nothing else.
   */
  async acquire(owner: string, units: number, signal: AbortSignal, holder?: Holder): Promise<void> {
    signal.throwIfAborted()
    if (this.tryAcquire(owner, units, holder)) return
    const state = this.#stateOf(owner)
    if (units + unitsHeldBy(holder) > this.capacity || state.waiting.length >= this.#maxWaiting) throw new NoCapacity()
    await this.#wait(owner, { units, holder }, signal)
  }

  /** Acquires one unit within a time limit, for callers that have no signal to stop waiting. */
  async acquireWithin(ms: number, owner: string): Promise<void> {
    if (this.tryAcquire(owner)) return
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new NoCapacity()), ms)
    try {
      await this.acquire(owner, 1, late.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  release(owner: string, units = 1): void {
    const state = this.#owners.get(owner)
    if (!state || state.used < units) throw new Error('More units were released than acquired')
    state.used -= units
    this.#free += units
    if (this.#rotation.size > 0) this.#serve()
  }

  /** Rejects everything that waits, with this reason. Units that are held may still be released. */
  close(reason: unknown): void {
    for (const { waiting } of this.#owners.values())
      for (const one of waiting.splice(0)) {
        one.leave()
        one.reject(reason)
      }
    this.#rotation.clear()
  }

  #wait(owner: string, demand: Demand, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#remove(owner, waiting)
        reject(signal.reason)
        // The request that leaves may have blocked smaller ones of the same owner.
        this.#serve()
      }
      const off = () => signal.removeEventListener('abort', leave)
      const waiting: Waiting = { ...demand, resolve, reject, leave: off }
      signal.addEventListener('abort', leave, { once: true })
      this.#stateOf(owner).waiting.push(waiting)
      this.#rotation.add(owner)
    })
  }

  #remove(owner: string, waiting: Waiting): void {
    const state = this.#stateOf(owner)
    state.waiting.splice(state.waiting.indexOf(waiting), 1)
    if (state.waiting.length === 0) this.#rotation.delete(owner)
  }

  /** Serves one request of each owner in rotation, as long as any fits. */
  #serve(): void {
    for (let served = true; served; ) {
      served = false
      for (const owner of [...this.#rotation]) if (this.#serveOne(owner)) served = true
    }
  }

  #serveOne(owner: string): boolean {
    const state = this.#stateOf(owner)
    const next = nextOf(state.waiting)
    if (!next || !this.#fits(state, next.units, next.holder)) return false
    state.waiting.splice(state.waiting.indexOf(next), 1)
    this.#rotation.delete(owner)
    if (state.waiting.length > 0) this.#rotation.add(owner)
    this.#take(state, next.units, next.holder)
    next.leave()
    next.resolve()
    return true
  }

  /**
   * An owner that holds nothing may take everything that is free: a request larger than its share would otherwise wait for
   * ever.
   */
  #fits(owner: Owner, units: number, holder: Holder | undefined): boolean {
    const { used } = owner
    const own = unitsHeldBy(holder)
    // A request that has begun releases its units only when it is done, so delaying it frees nothing for others.
    const remaining = this.#free - units - (own > 0 ? 0 : this.#reservedAgainst(owner))
    return remaining >= 0 && (used <= own || used + units <= this.#share * remaining)
  }

  /**
   * Units that are reserved for the longest-waiting owner that would not hold more than this one. Without the reserve a
   * large request would never find enough units at once, because small ones take whatever becomes free.
   */
  #reservedAgainst(owner: Owner): number {
    if (owner.used === 0) return 0
    for (const name of this.#rotation) {
      const other = this.#stateOf(name)
      const { units, holder } = nextOf(other.waiting)!
      const after = other.used + units
      if (other !== owner && after <= owner.used)
        return units + (other.used > unitsHeldBy(holder) ? after / this.#share : 0)
    }
    return 0
  }

  #take(state: Owner, units: number, holder: Holder | undefined): void {
    state.used += units
    this.#free -= units
    if (holder) holder.held += units
  }

  #stateOf(owner: string): Owner {
    const existing = this.#owners.get(owner)
    if (existing) return existing
    if (this.#owners.size >= MAX_IDLE_OWNERS) this.#forgetIdle()
    const state: Owner = { used: 0, waiting: [] }
    this.#owners.set(owner, state)
    return state
  }

  #forgetIdle(): void {
    for (const [owner, { used, waiting }] of this.#owners)
      if (used === 0 && waiting.length === 0) this.#owners.delete(owner)
  }
}

/** Requests that have begun go first: they release their units only when they are done. */
function nextOf(waiting: readonly Waiting[]): Waiting | undefined {
  return waiting.find(({ holder }) => unitsHeldBy(holder) > 0) ?? waiting[0]
}

function isBehind(waiting: readonly Waiting[], holder: Holder | undefined): boolean {
  const next = nextOf(waiting)
  return next !== undefined && (unitsHeldBy(holder) === 0 || unitsHeldBy(next.holder) > 0)
}

function unitsHeldBy(holder: Holder | undefined): number {
  return holder?.held ?? 0
}
