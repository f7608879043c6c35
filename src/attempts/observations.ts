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

/** Figures are aged in steps of this: within one, a thousand decisions share one calculation. */
const AGE_EVERY_MS = 1_000
const MAX_TARGETS = 2_000
const MAX_OWNERS_OF_A_TARGET = 32

export type Observation = Outcome & {
  /** `provider/model` */
  target: string
  /** Whose request it was. */
  owner: string
}

type Cached = { expected?: Expected | undefined; expectedAt: number }
/** What one owner has seen of a target. */
type Seen = Cached & { figures: Figures; at: number; turn: number }
type SeenTarget = {
  /** How many observations had been noted when it was used last. */
  turn: number
  byOwner: Map<string, Seen>
  agreed: Cached
}

/**
 * Exponentially weighted figures per target. Each owner goes by what it has seen itself; of what others have seen it believes
 * what several of them agree on. Bounded: what was used longest ago is forgotten first.
 */
export class Observations {
  readonly #now: () => number
  readonly #seen = new Map<string, SeenTarget>()
  #batch = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get size(): number {
    return this.#seen.size
  }

  /** Who has been seen. */
  get targets(): string[] {
    return [...this.#seen.keys()]
  }

  note(observation: Observation): void {
    const at = this.#now()
    const target = this.#seen.get(observation.target) ?? this.#meet(observation.target)
    const seen = target.byOwner.get(observation.owner) ?? meetOwner(target, observation.owner, at)
    age(seen.figures, at - seen.at)
    seen.at = at
    seen.turn = target.turn = this.#batch++
    seen.expected = undefined
    noteOutcome(seen.figures, observation)
  }

  /** What all owners together have seen. */
  of(target: string, at: number = this.#now()): Expected {
    const seen = this.#seen.get(target)
    return seen ? expectedFrom(sumOf(agedOf(seen, at)), 1) : UNSEEN
  }

  /** What an owner has to expect: what it has seen itself, and as far as that is little, what others agree on. */
  seenBy(owner: string): { of(target: string, at?: number): Expected } {
    return {
      of: (name, at = this.#now()) => {
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
    const target: SeenTarget = { turn: 0, byOwner: new Map(), agreed: { expectedAt: 0 } }
    this.#seen.set(name, target)
    return target
  }

  /** Who has the most targets to itself loses one of them, so that nobody can push out what others have seen. */
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

  /** Looked for when it is needed, which is hardly ever: keeping the map in order would cost every call. */
  #oldest(isIntended: (byOwner: SeenTarget['byOwner']) => boolean): string {
    let oldest = { name: '', turn: Number.POSITIVE_INFINITY }
    for (const [name, { turn, byOwner }] of this.#seen)
      if (turn < oldest.turn && isIntended(byOwner)) oldest = { name, turn }
    return oldest.name
  }
}

function meetOwner({ byOwner }: SeenTarget, owner: string, at: number): Seen {
  if (byOwner.size >= MAX_OWNERS_OF_A_TARGET) {
    const [oldest] = [...byOwner].reduce((one, other) => (other[1].turn < one[1].turn ? other : one))
    byOwner.delete(oldest)
  }
  const seen: Seen = { figures: noFigures(), at, turn: 0, expectedAt: 0 }
  byOwner.set(owner, seen)
  return seen
}

/** The figures of each owner as they are by then. */
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
