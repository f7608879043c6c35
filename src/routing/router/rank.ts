import type { RoutingSort } from '../../contract/routing.ts'
import { maskOf } from './ability.ts'
import type { Candidate } from './candidate.ts'
import type { Difficulty } from './difficulty-of.ts'
import type { Needs } from './needs-of.ts'
import type { Expected, Observations } from '../../attempts/observations.ts'
import { type CircuitIsOpen, type Refused, refusalOf } from './refusal.ts'
import { bandOf, type Parts, partsOf, priceOf, type Shape, scoreOf, tokensOf } from './score.ts'
import type { RoutingPreferences } from './preferences.ts'

/** What the ranking depends on, besides the candidates. */
export type Question = {
  needs: Needs
  difficulty: Difficulty
  serviceTier: string | null
  preferences: RoutingPreferences
  observations: Pick<Observations, 'of'>
  circuitIsOpen: CircuitIsOpen
  now: number
}

export type Ranked = Standing & { parts: Parts }

export type Ranking = {
  /** Best first, at most as many as were asked for. */
  best: Ranked[]
  /** How many could take the request. */
  eligible: number
  refused: Refused[]
}

/** The same question on the same figures gives the same order; equals stand in the order of their names. */
export function rank(candidates: readonly Candidate[], question: Question, max = candidates.length): Ranking {
  const { needs, difficulty, serviceTier, preferences, circuitIsOpen } = question
  const neededMask = maskOf(needs.abilities)
  const shape: Shape = { needs, neededMask, difficulty, serviceTier, tokens: tokensOf(needs) }
  const best: Standing[] = []
  const refused: Refused[] = []
  for (const candidate of candidates) {
    const reason = refusalOf(candidate, needs, neededMask, preferences, circuitIsOpen)
    if (reason) refused.push({ id: candidate.id, reason })
    else consider(candidate, shape, question, best, max)
  }
  const explained = best.map((one) => ({ ...one, parts: partsOf(one.candidate, one.expected, one.cost, shape) }))
  return { best: explained, eligible: candidates.length - refused.length, refused }
}

/** Where a candidate stands: by its band, then by its key, then by its score. */
type Standing = {
  candidate: Candidate
  expected: Expected
  cost: number | null
  band: number
  key: number
  score: number
}

/** Most of many candidates are behind the few best so far: they are dropped on two numbers, without an object made. */
function consider(candidate: Candidate, shape: Shape, question: Question, best: Standing[], max: number): void {
  const { preferences, observations, now } = question
  const expected = observations.of(candidate.id, now)
  const cost = priceOf(candidate, shape)
  const band = bandOf(candidate, expected, shape, preferences)
  const score = scoreOf(partsOf(candidate, expected, cost, shape), preferences)
  const key = keyOf(preferences.sort, candidate, expected, cost, score)
  const last = best[max - 1]
  if (last && (band > last.band || (band === last.band && key < last.key))) return
  insert({ candidate, expected, cost, band, key, score }, best)
  if (best.length > max) best.pop()
}

/** The larger, the better. What has no known price counts as the dearest. */
function keyOf(
  sort: RoutingSort | null,
  { quality }: Candidate,
  { tokensPerSecond, firstTokenMs }: Expected,
  cost: number | null,
  score: number,
): number {
  if (sort === null) return score
  if (sort === 'cost') return -(cost ?? Number.POSITIVE_INFINITY)
  if (sort === 'speed') return tokensPerSecond
  return sort === 'latency' ? -firstTokenMs : quality
}

function insert(standing: Standing, best: Standing[]): void {
  let low = 0
  let high = best.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (comesBefore(standing, best[middle]!)) high = middle
    else low = middle + 1
  }
  best.splice(low, 0, standing)
}

function comesBefore(one: Standing, other: Standing): boolean {
  if (one.band !== other.band) return one.band < other.band
  if (one.key !== other.key) return one.key > other.key
  if (one.score !== other.score) return one.score > other.score
  if (one.cost !== other.cost) return (one.cost ?? Number.POSITIVE_INFINITY) < (other.cost ?? Number.POSITIVE_INFINITY)
  return one.candidate.id < other.candidate.id
}
