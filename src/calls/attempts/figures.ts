import { MINUTE_MS } from '../../base/units/units.ts'

// Observations of a target as weighted means, in which newer observations count more.

/** After this long, an observation counts half. */
const HALF_LIFE_MS = 10 * MINUTE_MS
/** The newest observation has at least this weight: one in this many. */
const MAX_WEIGHT = 30
/** Longer times are cut to this: one stuck call says little about the next one. */
const MAX_FIRST_TOKEN_MS = 60_000
/** Shorter answers say more about the network than about the model. */
const MIN_TOKENS_FOR_SPEED = 8

// What is assumed about a target without observations, and how many observations the assumption is worth.
const ASSUMED = { firstTokenMs: 800, tokensPerSecond: 60, errorRate: 0.02 }
const FIGURE_PRIOR_WEIGHT = 1
const ERROR_PRIOR_WEIGHT = 4

/** What to expect of a target. The fewer and the older its observations are, the closer this is to the assumption. */
export type Expected = {
  firstTokenMs: number
  tokensPerSecond: number
  errorRate: number
  /** How many recent calls this is based on; 0 if there were none. */
  samples: number
}

export const UNSEEN: Expected = { ...ASSUMED, samples: 0 }

export type AttemptOutcome = {
  /** Null if the answer was not streamed. */
  firstTokenMs: number | null
  /** Tokens of the answer. */
  tokens: number | null
  durationMs: number
  /** Whether the target failed. Errors of the caller are not recorded. */
  failed: boolean
}

/** An answer that was delivered, for its speed. */
type Delivered = Pick<AttemptOutcome, 'firstTokenMs' | 'tokens' | 'durationMs'> & {
  /** Tokens that the model wrote before the first that it showed. */
  hiddenTokens: number
  /** How many answers the tokens are of. */
  answers: number
}

/**
 * Tokens per second, rather too many than too few, because bills are estimated with it. How long the model took to begin is not
 * part of the writing: it is known of a stream that hides nothing, and otherwise taken for a moment, but for half of the time at
 * most. Undefined if the answer is too short, or is one of several, whose lengths are not known.
 */
export function speedOf({ firstTokenMs, tokens, durationMs, hiddenTokens, answers }: Delivered): number | undefined {
  if (tokens === null || tokens < MIN_TOKENS_FOR_SPEED || answers !== 1) return undefined
  const assumedMs = Math.min(durationMs / 2, ASSUMED.firstTokenMs)
  const beforeMs = firstTokenMs === null || hiddenTokens > 0 ? assumedMs : firstTokenMs
  return (tokens * 1_000) / Math.max(1, durationMs - beforeMs)
}

export type Mean = { sum: number; weight: number }
export type Figures = { firstToken: Mean; speed: Mean; errors: Mean }

export function noFigures(): Figures {
  const nothing = () => ({ sum: 0, weight: 0 })
  return { firstToken: nothing(), speed: nothing(), errors: nothing() }
}

export function noteOutcome(figures: Figures, { firstTokenMs, tokens, durationMs, failed }: AttemptOutcome): void {
  add(figures.errors, failed ? 1 : 0)
  if (failed) return
  if (firstTokenMs !== null) add(figures.firstToken, Math.min(MAX_FIRST_TOKEN_MS, Math.max(0, firstTokenMs)))
  const writingMs = durationMs - (firstTokenMs ?? 0)
  if (tokens !== null && tokens >= MIN_TOKENS_FOR_SPEED && writingMs > 0)
    add(figures.speed, (tokens * 1_000) / writingMs)
}

export function age({ firstToken, speed, errors }: Figures, elapsedMs: number): void {
  const decay = keptAfter(elapsedMs)
  scale(firstToken, decay)
  scale(speed, decay)
  scale(errors, decay)
}

/** If the clock was set back, figures do not become younger. */
function keptAfter(elapsedMs: number): number {
  return elapsedMs > 0 ? Math.exp((-Math.LN2 * elapsedMs) / HALF_LIFE_MS) : 1
}

/** The less the figures count, the more `assumed` does. */
export function expectedFrom({ firstToken, speed, errors }: Figures, assumed = UNSEEN): Expected {
  return {
    firstTokenMs: drawn(firstToken, assumed.firstTokenMs, FIGURE_PRIOR_WEIGHT),
    tokensPerSecond: drawn(speed, assumed.tokensPerSecond, FIGURE_PRIOR_WEIGHT),
    errorRate: drawn(errors, assumed.errorRate, ERROR_PRIOR_WEIGHT),
    samples: errors.weight,
  }
}

/** The figures of all owners, merged. */
export function sumOf(all: readonly Figures[]): Figures {
  return combined(all, (means) => added(means))
}

/**
 * What several owners agree on. The highest and the lowest figure are left out, so that no owner can move the result further
 * than another owner confirms. A single owner is not believed; with two, the general assumption is the third figure.
 */
export function agreedBy(all: readonly Figures[]): Figures {
  return combined(all, (means, assumed) => {
    const seen = means.filter(({ weight }) => weight > 0)
    if (seen.length === 2) seen.push({ sum: assumed, weight: 1 })
    return added(seen.sort((one, other) => one.sum / one.weight - other.sum / other.weight).slice(1, -1))
  })
}

function combined(all: readonly Figures[], combine: (means: Mean[], assumed: number) => Mean): Figures {
  return {
    firstToken: combine(
      all.map(({ firstToken }) => firstToken),
      ASSUMED.firstTokenMs,
    ),
    speed: combine(
      all.map(({ speed }) => speed),
      ASSUMED.tokensPerSecond,
    ),
    errors: combine(
      all.map(({ errors }) => errors),
      ASSUMED.errorRate,
    ),
  }
}

function added(means: readonly Mean[]): Mean {
  return means.reduce((one, { sum, weight }) => ({ sum: one.sum + sum, weight: one.weight + weight }), {
    sum: 0,
    weight: 0,
  })
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

function drawn({ sum, weight }: Mean, assumed: number, assumedWeight: number): number {
  return (sum + assumed * assumedWeight) / (weight + assumedWeight)
}
