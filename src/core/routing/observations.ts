/** After this long an observation counts half. */
const HALF_LIFE_MS = 10 * 60_000
/** Figures are aged in steps of this: within one, a thousand decisions share one calculation. */
const AGE_EVERY_MS = 1_000
const MAX_TARGETS = 2_000
/** The newest observation counts at least one part in so many. */
const MAX_WEIGHT = 30
/** One stuck call says little about the next. */
const MAX_FIRST_TOKEN_MS = 60_000
/** Shorter answers say more about the network than about the model. */
const MIN_TOKENS_FOR_SPEED = 8

// What is assumed of a target nobody has seen, and how many observations that assumption is worth.
const ASSUMED = { firstTokenMs: 800, tokensPerSecond: 60, errorRate: 0.02 }
const FIGURE_PRIOR_WEIGHT = 1
const ERROR_PRIOR_WEIGHT = 4

export type Observation = {
  /** `provider/model` */
  target: string
  /** Null where nothing was streamed. */
  firstTokenMs: number | null
  /** Tokens written. */
  tokens: number | null
  durationMs: number
  /** Through a fault of the target; what the caller did wrong is not noted. */
  failed: boolean
}

/** What to expect of a target: the less was seen of it and the longer ago, the nearer to what is assumed of any. */
export type Expected = {
  firstTokenMs: number
  tokensPerSecond: number
  errorRate: number
  /** How many recent calls stand behind it; 0: never seen. */
  samples: number
}

type Mean = { sum: number; weight: number }
type Seen = {
  at: number
  /** How many observations had been noted when it was used last. */
  turn: number
  firstToken: Mean
  speed: Mean
  errors: Mean
  expected?: Expected | undefined
  expectedAt: number
}

const UNSEEN: Expected = { ...ASSUMED, samples: 0 }

/** Exponentially weighted figures per target. Bounded: what was used longest ago is forgotten first. */
export class Observations {
  readonly #now: () => number
  readonly #seen = new Map<string, Seen>()
  #turn = 0

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

  note({ target, firstTokenMs, tokens, durationMs, failed }: Observation): void {
    const seen = this.#recall(target)
    add(seen.errors, failed ? 1 : 0)
    if (failed) return
    if (firstTokenMs !== null) add(seen.firstToken, Math.min(MAX_FIRST_TOKEN_MS, Math.max(0, firstTokenMs)))
    const writingMs = durationMs - (firstTokenMs ?? 0)
    if (tokens !== null && tokens >= MIN_TOKENS_FOR_SPEED && writingMs > 0)
      add(seen.speed, (tokens * 1_000) / writingMs)
  }

  of(target: string, at: number = this.#now()): Expected {
    const seen = this.#seen.get(target)
    if (!seen) return UNSEEN
    if (!seen.expected || Math.abs(at - seen.expectedAt) >= AGE_EVERY_MS) {
      seen.expected = expectedFrom(seen, at)
      seen.expectedAt = at
    }
    return seen.expected
  }

  /** Aged to now. */
  #recall(target: string): Seen {
    const at = this.#now()
    const seen = this.#seen.get(target) ?? this.#meet(target, at)
    const kept = keptAfter(at - seen.at)
    scale(seen.firstToken, kept)
    scale(seen.speed, kept)
    scale(seen.errors, kept)
    seen.at = at
    seen.turn = this.#turn++
    seen.expected = undefined
    return seen
  }

  #meet(target: string, at: number): Seen {
    if (this.#seen.size >= MAX_TARGETS) this.#seen.delete(this.#oldest())
    const seen = unseen(at)
    this.#seen.set(target, seen)
    return seen
  }

  /** Looked for when it is needed, which is hardly ever: keeping the map in order would cost every call. */
  #oldest(): string {
    let oldest = { target: '', turn: Number.POSITIVE_INFINITY }
    for (const [target, { turn }] of this.#seen) if (turn < oldest.turn) oldest = { target, turn }
    return oldest.target
  }
}

function unseen(at: number): Seen {
  const nothing = () => ({ sum: 0, weight: 0 })
  return {
    at,
    turn: 0,
    firstToken: nothing(),
    speed: nothing(),
    errors: nothing(),
    expected: undefined,
    expectedAt: at,
  }
}

function expectedFrom({ at: seenAt, firstToken, speed, errors }: Seen, at: number): Expected {
  const kept = keptAfter(at - seenAt)
  return {
    firstTokenMs: drawn(firstToken, kept, ASSUMED.firstTokenMs, FIGURE_PRIOR_WEIGHT),
    tokensPerSecond: drawn(speed, kept, ASSUMED.tokensPerSecond, FIGURE_PRIOR_WEIGHT),
    errorRate: drawn(errors, kept, ASSUMED.errorRate, ERROR_PRIOR_WEIGHT),
    samples: errors.weight * kept,
  }
}

function add(mean: Mean, value: number): void {
  mean.sum += value
  mean.weight += 1
  if (mean.weight > MAX_WEIGHT) scale(mean, MAX_WEIGHT / mean.weight)
}

function scale(mean: Mean, factor: number): void {
  mean.sum *= factor
  mean.weight *= factor
}

/** A clock that was set back makes nothing younger. */
function keptAfter(elapsedMs: number): number {
  return elapsedMs > 0 ? Math.exp((-Math.LN2 * elapsedMs) / HALF_LIFE_MS) : 1
}

function drawn({ sum, weight }: Mean, kept: number, assumed: number, assumedWeight: number): number {
  return (sum * kept + assumed * assumedWeight) / (weight * kept + assumedWeight)
}
