type Load = { inFlight: number; recent: number }

/** What is left of an owner's past work when it fades once. */
const FADES_TO = 0.75
const NOTHING_LEFT = 1

/** How much work each owner brings, so that the one that causes an overload is turned away first. */
export class OwnerLoads {
  readonly #loads = new Map<string, Load>()
  #total = 0

  /** `work` is what taking a request in costs, in units of a small request. */
  began(owner: string, work: number): void {
    this.#loadOf(owner).inFlight++
    this.#add(owner, work)
    this.#total++
  }

  ended(owner: string): void {
    this.#loadOf(owner).inFlight--
    this.#total--
  }

  /** Turning a request away is work as well. */
  refused(owner: string): void {
    this.#add(owner, 1)
  }

  /** To be called regularly: what was done long ago no longer counts. */
  fade(): void {
    this.#total = 0
    for (const [owner, load] of this.#loads) {
      load.recent *= FADES_TO
      if (load.inFlight === 0 && load.recent < NOTHING_LEFT) this.#loads.delete(owner)
      else this.#total += load.inFlight + load.recent
    }
  }

  /**
   * Whether an owner brings at least an even share of all work. `pressure` is 1 where there is just too much work; the
   * higher it is, the smaller the share that counts as heavy. An owner that brought nothing lately is never heavy.
   */
  isHeavy(owner: string, pressure: number): boolean {
    const load = this.#loads.get(owner)
    if (!load) return false
    return (load.inFlight + load.recent) * this.#loads.size * pressure >= this.#total
  }

  #add(owner: string, work: number): void {
    this.#loadOf(owner).recent += work
    this.#total += work
  }

  #loadOf(owner: string): Load {
    const known = this.#loads.get(owner)
    if (known) return known
    const load = { inFlight: 0, recent: 0 }
    this.#loads.set(owner, load)
    return load
  }
}
