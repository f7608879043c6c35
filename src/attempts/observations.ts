import {
  age,
  agreedBy,
  type Expected,
  expectedFrom,
  type Figures,
  keptAfter,
  noFigures,
  noteOutcome,
  type Outcome,
  sumOf,
  UNSEEN,
} from './figures.ts'

export type { Expected } from './figures.ts'

/** Figures age in steps of this size, so that all decisions within a step share one calculation. */
const AGE_EVERY_MS = 1_000
const MAX_TARGETS = 2_000
const MAX_OWNERS_OF_A_TARGET = 32

export type Observation = Outcome & {
  /** `provider/model` */
  target: string
  /** The owner of the request. */
  owner: string
}

type Cached = { expected?: Expected | undefined; expectedAt: number }
/** One owner's figures of a target. */
type Seen = Cached & { figures: Figures; at: number; lastUse: number }
type SeenTarget = {
  /** How many observations had been recorded when this entry was last used. */
  lastUse: number
  byOwner: Map<string, Seen>
  agreed: Cached
}

/**
 * Exponentially weighted figures per target. Each owner uses its own observations, and from those of other owners only what
 * several of them agree on. The map is bounded: the least recently used entries are forgotten first.
 */
export class Observations {
  readonly #monotonic: () => number
  readonly #seen = new Map<string, SeenTarget>()
  #uses = 0

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  get size(): number {
    return this.#seen.size
  }

  /** All targets that have observations. */
  get targets(): string[] {
    return [...this.#seen.keys()]
  }

  note(observation: Observation): void {
    const at = this.#monotonic()
    const target = this.#seen.get(observation.target) ?? this.#meet(observation.target)
    const seen = target.byOwner.get(observation.owner) ?? meetOwner(target, observation.owner, at)
    age(seen.figures, at - seen.at)
    seen.at = at
    seen.lastUse = target.lastUse = this.#uses++
    seen.expected = undefined
    noteOutcome(seen.figures, observation)
  }

  /** The figures of all owners together. */
  of(target: string, at: number = this.#monotonic()): Expected {
    const seen = this.#seen.get(target)
    return seen ? expectedFrom(sumOf(agedOf(seen, at)), 1) : UNSEEN
  }

  /** What an owner can expect: its own figures, and if those are few, what other owners agree on. */
  seenBy(owner: string): { of(target: string, at?: number): Expected } {
    return {
      of: (name, at = this.#monotonic()) => {
        const target = this.#seen.get(name)
        if (!target) return UNSEEN
        const agreed = cached(target.agreed, at, () => expectedFrom(agreedBy(agedOf(target, at)), 1))
        const own = target.byOwner.get(owner)
        return own ? cached(own, at, () => expectedFrom(own.figures, keptAfter(at - own.at), agreed)) : agreed
      },
    }
  }

  #meet(name: string): SeenTarget {
    if (this.#seen.size >= MAX_TARGETS) this.#seen.delete(this.#leastWanted())
    const target: SeenTarget = { lastUse: 0, byOwner: new Map(), agreed: { expectedAt: 0 } }
    this.#seen.set(name, target)
    return target
  }

  /** The owner with the most targets loses one of its entries, so that no owner can push out the entries of others. */
  #leastWanted(): string {
    const counts = new Map<string, number>()
    let [max, hoarder] = [0, '']
    for (const { byOwner } of this.#seen.values()) {
      if (byOwner.size > 1) continue
      const owner = byOwner.keys().next().value!
      const count = (counts.get(owner) ?? 0) + 1
      counts.set(owner, count)
      if (count > max) [max, hoarder] = [count, owner]
    }
    return this.#oldest((byOwner) => max === 0 || (byOwner.size === 1 && byOwner.has(hoarder)))
  }

  /** Searches for the oldest entry when it is needed, which is rare. Keeping the map sorted would slow down every call. */
  #oldest(isIntended: (byOwner: SeenTarget['byOwner']) => boolean): string {
    let oldest = { name: '', lastUse: Number.POSITIVE_INFINITY }
    for (const [name, { lastUse, byOwner }] of this.#seen)
      if (lastUse < oldest.lastUse && isIntended(byOwner)) oldest = { name, lastUse }
    return oldest.name
  }
}

function meetOwner({ byOwner }: SeenTarget, owner: string, at: number): Seen {
  if (byOwner.size >= MAX_OWNERS_OF_A_TARGET) {
    const [oldest] = [...byOwner].reduce((one, other) => (other[1].lastUse < one[1].lastUse ? other : one))
    byOwner.delete(oldest)
  }
  const seen: Seen = { figures: noFigures(), at, lastUse: 0, expectedAt: 0 }
  byOwner.set(owner, seen)
  return seen
}

/** The figures of each owner, aged to that time. */
function agedOf({ byOwner }: SeenTarget, at: number): Figures[] {
  return Array.from(byOwner.values(), ({ figures, at: seenAt }) => {
    const aged = copyOf(figures)
    age(aged, at - seenAt)
    return aged
  })
}

function copyOf({ firstToken, speed, errors }: Figures): Figures {
  return { firstToken: { ...firstToken }, speed: { ...speed }, errors: { ...errors } }
}

function cached(cache: Cached, at: number, expected: () => Expected): Expected {
  if (!cache.expected || Math.abs(at - cache.expectedAt) >= AGE_EVERY_MS) {
    cache.expected = expected()
    cache.expectedAt = at
  }
  return cache.expected
}
