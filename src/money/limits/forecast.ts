import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import { entryOf, fromAmount } from '../../platform/config/spend-limits/limit-entry.ts'
import type { ForecastedLimit, SpendingForecast } from '../../contract/admin/forecast.ts'
import { isEnough, lowered, MAX_LOWERINGS, ofEach, tokensThatFit } from './lower-answer.ts'
import { sums } from './limit-body.ts'
import type { LimitState } from './limit-states.ts'
import { bucketOf, concernsTarget, type LimitedCall, type LimitedTarget } from './match-limits.ts'
import { amountFor, type WorstCase } from './worst-case.ts'

// What the limits would say to an attempt. Nothing is reserved for this, and the rules are those of a real attempt.

/** Where a forecast gets its figures from. */
export type ForecastSource = {
  limitsOf(call: LimitedCall): readonly Limit[]
  statesOf(limits: readonly Limit[]): Promise<ReadonlyMap<string, LimitState>>
  /** What the answering process has leased of a limit and not used. */
  freeOf(limit: Limit, bucket: string): number
}

type Attempt = { call: LimitedCall; target: LimitedTarget; worst: WorstCase }
type Judged = { limit: Limit; bucket: string; state: LimitState; free: number; room: number }
type ForecastOutcome = { outcome: SpendingForecast['outcome']; maxOutput: number | null }

export async function forecast({ call, target, worst }: Attempt, source: ForecastSource): Promise<SpendingForecast> {
  const limits = source.limitsOf(call).filter((limit) => concernsTarget(limit, target))
  const states = await source.statesOf(limits)
  const judged = limits.map((limit) => judgedAt(limit, states.get(limit.id)!, { call, source }))
  const enforced = judged.filter(({ limit }) => limit.mode === 'enforce')
  const { outcome, maxOutput } = outcomeOf(enforced, worst)
  return { outcome, max_output_tokens: maxOutput, limits: judged.map((one) => bodyOf(one, worst)) }
}

function judgedAt(limit: Limit, state: LimitState, { call, source }: { call: LimitedCall; source: ForecastSource }) {
  const bucket = bucketOf(limit, call)
  const free = source.freeOf(limit, bucket)
  const [own] = state.buckets.filter((one) => one.bucket === bucket)
  const room = state.cap - (own?.spent ?? 0) - (own?.reserved ?? 0) + free
  return { limit, bucket, state, free, room }
}

/** What all of these limits together make of the attempt. */
function outcomeOf(judged: readonly Judged[], worst: WorstCase): ForecastOutcome {
  if (judged.some(({ limit, state }) => amountFor(limit, worst, state.cap) === null))
    return { outcome: 'unpriced', maxOutput: null }
  let fitting = worst
  for (let tries = 0; tries <= MAX_LOWERINGS; tries++) {
    const short = judged.find((one) => neededBy(one, fitting) > one.room)
    if (!short) return fitting === worst ? PASSES : { outcome: 'clamped', maxOutput: ofEach(fitting) }
    const amount = neededBy(short, fitting)
    const fits = tokensThatFit({ limit: short.limit, amount, missing: amount }, fitting, short.room)
    if (!isEnough(fits, worst) || fits >= fitting.outputTokens) break
    fitting = lowered(worst, fits)
  }
  return { outcome: 'refused', maxOutput: null }
}

const PASSES: ForecastOutcome = { outcome: 'passes', maxOutput: null }

function neededBy({ limit, state }: Judged, worst: WorstCase): number {
  return amountFor(limit, worst, state.cap) ?? 0
}

function bodyOf(judged: Judged, worst: WorstCase): ForecastedLimit {
  const { limit, bucket, state, free } = judged
  const { id, appliesTo: applies_to, window, timezone } = entryOf(limit)
  const amount = amountFor(limit, worst, state.cap)
  const { outcome, maxOutput } = outcomeOf([judged], worst)
  return {
    id,
    applies_to,
    per: limit.per,
    bucket,
    unit: limit.unit,
    window: window!,
    timezone: timezone!,
    mode: limit.mode,
    on_exceeded: limit.onExceeded,
    limit: fromAmount(state.cap, limit.unit),
    ...(sums(limit, state, bucket) as ReturnType<typeof sums> & { left: number }),
    free_here: fromAmount(free, limit.unit),
    would_reserve: amount === null ? null : fromAmount(amount, limit.unit),
    outcome,
    max_output_tokens: maxOutput,
  }
}
