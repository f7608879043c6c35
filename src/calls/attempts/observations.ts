import {
  age,
  agreedBy,
  type Expected,
  expectedFrom,
  type Figures,
  noteOutcome,
  type AttemptOutcome,
  sumOf,
  UNSEEN,
} from './figures.ts'

import {
  agedFigures,
  agedOf,
  type Cached,
  MAX_OWNERS_OF_A_TARGET,
  meetOwner,
  highestOf,
  noteSpeed,
  ownFigures,
  type Seen,
  type SeenTarget,
} from './seen-target.ts'

export type { Expected } from './figures.ts'

/** Figures age in steps of this size, so that all decisions within a step share one calculation. */
const AGE_EVERY_MS = 1_000
const MAX_TARGETS = 2_000
/** How many figures go to other processes, and come from each of them. */
const MAX_LEARNED = 200
/** Figures that count less than this are not worth telling. */
const MIN_LEARNED_WEIGHT = 0.1

export type Observation = AttemptOutcome & {
  /** `provider/model` */
  target: string
  /** The owner of the request. */
  owner: string
  /** Tokens per second of one answer; undefined if it does not show that. */
  speed?: number | undefined
}

/** What owners can expect of targets. */
export type SeenByOwner = Pick<Observations, 'seenBy'>

/** Where no call is made, nothing was observed. */
export const UNOBSERVED: SeenByOwner = { seenBy: () => ({ of: () => UNSEEN }) }

/** One owner's figures of a target, for another process. */
export type LearnedFigures = { target: string; owner: string; figures: Figures }

/**
 * Exponentially weighted figures per target. Each owner uses its own observations, and from those of other owners only what
 * several of them agree on. The map is bounded: the least recently used entries are forgotten first.
 */
export class Observations {
  readonly #monotonic: () => number
  readonly #seen = new Map<string, SeenTarget>()
  /** Which entries have figures of which process. */
  readonly #taught = new Map<string, Set<Seen>>()
  #uses = 0

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  get size(): number {
    return this.#seen.size
  }

  /** How many observations were ever recorded. */
  get count(): number {
    return this.#uses
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
    if (!observation.failed) seen.succeededAt = at
    noteOutcome(seen.figures, observation)
    if (observation.speed !== undefined) noteSpeed(target.fastest, observation.speed, at)
  }

  /** The most tokens per second that an answer had lately, over all owners. Undefined if no answer was seen. */
  fastestOf(target: string): number | undefined {
    const seen = this.#seen.get(target)
    return seen && highestOf(seen.fastest, this.#monotonic())
  }

  /** The figures of all owners together. */
  of(target: string, at: number = this.#monotonic()): Expected {
    const seen = this.#seen.get(target)
    return seen ? expectedFrom(sumOf(agedOf(seen, at))) : UNSEEN
  }

  /** What an owner can expect: its own figures, and if those are few, what other owners agree on. */
  seenBy(owner: string): { of(target: string, at?: number): Expected } {
    return {
      of: (name, at = this.#monotonic()) => {
        const target = this.#seen.get(name)
        if (!target) return UNSEEN
        const agreed = cached(target.agreed, at, () => expectedFrom(agreedBy(agedOf(target, at))))
        const own = target.byOwner.get(owner)
        return own ? cached(own, at, () => expectedFrom(agedFigures(own, at), agreed)) : agreed
      },
    }
  }

  /** Whether a call of this owner, or of any owner, succeeded here within that time. */
  hasSucceeded(name: string, owner: string | undefined, withinMs: number): boolean {
    const target = this.#seen.get(name)
    const since = this.#monotonic() - withinMs
    if (owner !== undefined) return (target?.byOwner.get(owner)?.succeededAt ?? Number.NEGATIVE_INFINITY) >= since
    return [...(target?.byOwner.values() ?? [])].some(({ succeededAt }) => succeededAt >= since)
  }

  /** What this process has observed itself, the targets that were used last first. */
  own(): LearnedFigures[] {
    const at = this.#monotonic()
    const recent = [...this.#seen].sort(([, one], [, other]) => other.lastUse - one.lastUse).slice(0, MAX_LEARNED)
    const all = recent.flatMap(([target, { byOwner }]) =>
      Array.from(byOwner, ([owner, seen]) => ({ target, owner, figures: ownFigures(seen, at) })),
    )
    return all.filter(({ figures }) => figures.errors.weight >= MIN_LEARNED_WEIGHT).slice(0, MAX_LEARNED)
  }

  /** Takes over what another process has observed, in place of what it reported before. Nothing of ours is evicted for it. */
  learn(from: string, learned: readonly LearnedFigures[]): void {
    this.forget(from)
    const at = this.#monotonic()
    for (const { target: name, owner, figures } of learned.slice(0, MAX_LEARNED)) {
      const target = this.#seen.get(name) ?? (this.#seen.size < MAX_TARGETS ? this.#meet(name) : undefined)
      if (!target) continue
      const isFull = target.byOwner.size >= MAX_OWNERS_OF_A_TARGET
      const seen = target.byOwner.get(owner) ?? (isFull ? undefined : meetOwner(target, owner, at))
      if (!seen) continue
      seen.learned ??= new Map()
      seen.learned.set(from, { figures, at })
      this.#taught.set(from, (this.#taught.get(from) ?? new Set<Seen>()).add(seen))
    }
  }

  forget(from: string): void {
    for (const seen of this.#taught.get(from) ?? []) seen.learned?.delete(from)
    this.#taught.delete(from)
  }

  #meet(name: string): SeenTarget {
    if (this.#seen.size >= MAX_TARGETS) this.#seen.delete(this.#leastWanted())
    const target: SeenTarget = {
      lastUse: 0,
      byOwner: new Map(),
      agreed: { expectedAt: 0 },
      fastest: { day: 0, ofDay: 0, ofDayBefore: 0 },
    }
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

function cached(cache: Cached, at: number, expected: () => Expected): Expected {
  if (!cache.expected || Math.abs(at - cache.expectedAt) >= AGE_EVERY_MS) {
    cache.expected = expected()
    cache.expectedAt = at
  }
  return cache.expected
}
