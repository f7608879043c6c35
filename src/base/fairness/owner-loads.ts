type Load = { inFlight: number; recent: number }

/** The part of an owner's past load that remains after one call of fade(). */
const FADES_TO = 0.75
const NOTHING_LEFT = 1

/** Measures the load of each owner, so that the owner that causes an overload is refused first. */
export class OwnerLoads {
  readonly #loads = new Map<string, Load>()
  #total = 0

  /** `work` is the cost of accepting the request, in units of a small request. */
  began(owner: string, work: number): void {
    this.#loadOf(owner).inFlight++
    this.#add(owner, work)
    this.#total++
  }

  ended(owner: string): void {
    this.#loadOf(owner).inFlight--
    this.#total--
  }

  /** Refusing a request costs work too. */
  refused(owner: string): void {
    this.#add(owner, 1)
  }

  /** Call it regularly, so that old work no longer counts. */
  fade(): void {
    this.#total = 0
    for (const [owner, load] of this.#loads) {
      load.recent *= FADES_TO
      if (load.inFlight === 0 && load.recent < NOTHING_LEFT) this.#loads.delete(owner)
      else this.#total += load.inFlight + load.recent
    }
  }

  /**
   * Whether an owner causes at least an even share of the whole load. A `pressure` of 1 means that there is just too much
   * work; the higher it is, the smaller the share that counts as heavy. An owner without recent work is never heavy.
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
    const existing = this.#loads.get(owner)
    if (existing) return existing
    const load = { inFlight: 0, recent: 0 }
    this.#loads.set(owner, load)
    return load
  }
}
