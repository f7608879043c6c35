import { costOf, type Tokens } from '../../../money/billing/token-buckets.ts'
import type { Candidate } from './candidate.ts'
import type { Difficulty } from './difficulty-of.ts'
import type { Needs } from './needs-of.ts'
import type { Expected } from '../../attempts/observations.ts'
import type { RoutingPreferences } from './preferences.ts'

// Every part is a figure from 0 to 1 that depends on its own candidate only, so removing a candidate never changes the order
// of the others.

// The values at which a part is 0.5.
const HALF_USD_PER_MILLION = 2
const HALF_FIRST_TOKEN_MS = 1_000
const HALF_TOKENS_PER_SECOND = 50

/** The weights of the parts other than the price. */
const QUALITY_SHARE = 0.6
const LATENCY_SHARE = 0.12
const SPEED_SHARE = 0.12
const RELIABILITY_SHARE = 0.16
/** The weight of quality beyond what the prompt needs. */
const SURPLUS_SHARE = 0.3

/** A target with a higher error rate comes after all others, however cheap it is. */
export const FAILING_ERROR_RATE = 0.5
/** By how many tiers a model may fall short of the prompt's difficulty and still count as strong enough. */
const LENIENT_TIERS = 0.5

export type Parts = { cost: number; quality: number; latency: number; speed: number; reliability: number }

/** What a candidate is measured against. */
export type Shape = {
  needs: Needs
  /** The needed abilities, as a mask. */
  neededMask: number
  tokens: Tokens
  serviceTier: string | null
  difficulty: Difficulty
}

/** The cost of this request in USD; null if it is unknown. */
export function priceOf({ price }: Candidate, { tokens, serviceTier }: Shape): number | null {
  return costOf(tokens, price, serviceTier)
}

export function partsOf(candidate: Candidate, expected: Expected, cost: number | null, shape: Shape): Parts {
  const { promptTokens, expectedOutputTokens } = shape.needs
  return {
    cost: cost === null ? 0 : cheapness((cost * 1e6) / Math.max(1, promptTokens + expectedOutputTokens)),
    quality: fitness(candidate.quality, shape.difficulty.score),
    latency: HALF_FIRST_TOKEN_MS / (HALF_FIRST_TOKEN_MS + expected.firstTokenMs),
    speed: expected.tokensPerSecond / (expected.tokensPerSecond + HALF_TOKENS_PER_SECOND),
    reliability: 1 - expected.errorRate,
  }
}

/** Weighs the price against everything else. More weight on the price never chooses a more expensive model. */
export function scoreOf(
  { cost, quality, latency, speed, reliability }: Parts,
  { qualityCost }: RoutingPreferences,
): number {
  const besidesCost =
    QUALITY_SHARE * quality + LATENCY_SHARE * latency + SPEED_SHARE * speed + RELIABILITY_SHARE * reliability
  return (qualityCost * cost + (10 - qualityCost) * besidesCost) / 10
}

/**
 * Candidates in a lower band come first, whatever their score. Failing targets come last, before them those that may lack an
 * ability, and before them those that are too weak for the prompt.
 */
export function bandOf(candidate: Candidate, expected: Expected, shape: Shape, { sort }: RoutingPreferences): number {
  const failing = expected.errorRate > FAILING_ERROR_RATE
  const doubtful = (candidate.unsure & shape.neededMask) !== 0 || (shape.needs.reasoning && !candidate.reasoning)
  // A caller who chooses a sort order wants that order, not our estimate of the prompt.
  const weak = sort === null && candidate.quality + LENIENT_TIERS < 1 + (shape.difficulty.score * 4) / 10
  return (failing ? 4 : 0) + (doubtful ? 2 : 0) + (weak ? 1 : 0)
}

/** The tokens of the request, as the ledger would count them. */
export function tokensOf({ promptTokens, audioTokens, expectedOutputTokens }: Needs): Tokens {
  return {
    plainInput: promptTokens - audioTokens,
    audioInput: audioTokens,
    plainOutput: expectedOutputTokens,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite1h: 0,
    imageInput: 0,
    reasoning: 0,
    audioOutput: 0,
    imageOutput: 0,
  }
}

/** Uses the square root, because prices span four orders of magnitude. */
function cheapness(dollarsPerMillion: number): number {
  return 1 / (1 + Math.sqrt(dollarsPerMillion / HALF_USD_PER_MILLION))
}

/** On an easy prompt, the best model counts for little more than the weakest. On a hard one, the difference counts fully. */
function fitness(quality: number, difficulty: number): number {
  const level = (quality - 1) / 4
  const shortfall = Math.max(0, difficulty / 10 - level)
  return SURPLUS_SHARE * level + (1 - SURPLUS_SHARE) * (1 - shortfall)
}
