import type { RankingInput, Ranked, Ranking } from './rank.ts'
import type { Reason, Refused } from './refusal.ts'
import { ROUTER_VALUE } from './router-value.ts'

const MAX_EXAMPLES = 8
const MAX_DROPPED = 64

/** Why these targets were chosen. This is part of the `gatehouse` object of an answer. Its size is bounded. */
export type RoutingDecision = ReturnType<typeof decisionOf>

export function decisionOf(
  { needs, difficulty, preferences }: RankingInput,
  { best, eligible }: Ranking,
  refused: readonly Refused[],
  isNamed: boolean,
) {
  return {
    router: ROUTER_VALUE,
    considered: eligible + refused.length,
    eligible,
    needs: {
      abilities: needs.abilities,
      reasoning: needs.reasoning,
      prompt_tokens: needs.promptTokens,
      max_output_tokens: needs.maxOutputTokens,
      expected_output_tokens: needs.expectedOutputTokens,
    },
    difficulty,
    steering: {
      sort: preferences.sort,
      quality_cost: preferences.qualityCost,
      allowed_providers: preferences.allowedProviders,
    },
    ranking: best.map(explained),
    /** Of the candidates that the request names. */
    dropped: isNamed ? refused.slice(0, MAX_DROPPED).map(({ id }) => id) : [],
    refused: {
      total: refused.length,
      by_reason: countsOf(refused),
      examples: refused.slice(0, MAX_EXAMPLES).map(({ id, reason }) => ({ model: id, reason })),
    },
  }
}

function explained({ candidate, expected, cost, band, parts, score }: Ranked) {
  const { cost: cheapness, quality, latency, speed, reliability } = parts
  return {
    model: candidate.id,
    score: short(score),
    parts: {
      cost: short(cheapness),
      quality: short(quality),
      latency: short(latency),
      speed: short(speed),
      reliability: short(reliability),
    },
    /** 0, or the sum of: the target is failing (4), it may lack an ability (2), it is too weak for the prompt (1). */
    band,
    estimated_cost: cost,
    quality: candidate.quality,
    expected_first_token_ms: Math.round(expected.firstTokenMs),
    expected_tokens_per_second: Math.round(expected.tokensPerSecond),
    expected_error_rate: short(expected.errorRate),
    observed_calls: Math.round(expected.samples),
  }
}

function countsOf(refused: readonly Refused[]): Partial<Record<Reason, number>> {
  const counts: Partial<Record<Reason, number>> = {}
  for (const { reason } of refused) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}

function short(figure: number): number {
  return Math.round(figure * 10_000) / 10_000
}
