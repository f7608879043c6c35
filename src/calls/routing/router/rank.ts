import type { RoutingSort } from '../../../contract/routing.ts'
import { maskOf } from './ability.ts'
import type { Candidate } from './candidate.ts'
import type { Difficulty } from './difficulty-of.ts'
import type { Needs } from './needs-of.ts'
import type { Expected, Observations } from '../../attempts/observations.ts'
import { type CircuitIsOpen, type Refused, refusalOf } from './refusal.ts'
import { bandOf, type Parts, partsOf, priceOf, type Shape, scoreOf, tokensOf } from './score.ts'
import type { RoutingPreferences } from './preferences.ts'

/** What the ranking depends on, besides the candidates. */
export type RankingInput = {
  needs: Needs
  difficulty: Difficulty
  serviceTier: string | null
  preferences: RoutingPreferences
  observations: Pick<Observations, 'of'>
  circuitIsOpen: CircuitIsOpen
  /** The time on the monotonic clock. */
  at: number
}

export type Ranked = Standing & { parts: Parts }

export type Ranking = {
  /** Best first, at most `max` of them. */
  best: Ranked[]
  /** How many could take the request. */
  eligible: number
  refused: Refused[]
}

/** The same input with the same figures gives the same order. Equal candidates are ordered by name. */
export function rank(candidates: readonly Candidate[], input: RankingInput, max = candidates.length): Ranking {
  const { needs, difficulty, serviceTier } = input
  const neededMask = maskOf(needs.abilities)
  const shape: Shape = { needs, neededMask, difficulty, serviceTier, tokens: tokensOf(needs) }
  const best: BestOf = { standings: [], max }
  const refused: Refused[] = []
  for (const candidate of candidates) {
    const reason = refusalOf(candidate, shape, input)
    if (reason) refused.push({ id: candidate.id, reason })
    else consider(candidate, shape, input, best)
  }
  const explained = best.standings.map((one) => {
    return { ...one, parts: partsOf(one.candidate, one.expected, one.cost, shape) }
  })
  return { best: explained, eligible: candidates.length - refused.length, refused }
}

/** The rank of a candidate: by its band, then by its key, then by its score. */
type Standing = {
  candidate: Candidate
  expected: Expected
  cost: number | null
  band: number
  key: number
  score: number
}

/** The best candidates so far, in order. */
type BestOf = { standings: Standing[]; max: number }

/** Adds a candidate if it is among the best. Two numbers decide that, so that the many others cost no object. */
function consider(candidate: Candidate, shape: Shape, input: RankingInput, { standings, max }: BestOf): void {
  const { preferences, observations, at } = input
  const expected = observations.of(candidate.id, at)
  const cost = priceOf(candidate, shape)
  const band = bandOf(candidate, expected, shape, preferences)
  const score = scoreOf(partsOf(candidate, expected, cost, shape), preferences)
  const { sort } = preferences
  const key = sort === null ? score : sortKey(sort, candidate, expected, cost)
  const last = standings[max - 1]
  if (last && (band > last.band || (band === last.band && key < last.key))) return
  insert({ candidate, expected, cost, band, key, score }, standings)
  if (standings.length > max) standings.pop()
}

/** The larger, the better. A candidate without a known price counts as the most expensive. */
function sortKey(
  sort: RoutingSort,
  { quality }: Candidate,
  { tokensPerSecond, firstTokenMs, errorRate }: Expected,
  cost: number | null,
): number {
  if (sort === 'cost') return -(cost ?? Number.POSITIVE_INFINITY)
  if (sort === 'speed') return tokensPerSecond
  if (sort === 'exact') return -errorRate
  return sort === 'latency' ? -firstTokenMs : quality
}

function insert(standing: Standing, standings: Standing[]): void {
  let low = 0
  let high = standings.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (comesBefore(standing, standings[middle]!)) high = middle
    else low = middle + 1
  }
  standings.splice(low, 0, standing)
}

function comesBefore(one: Standing, other: Standing): boolean {
  if (one.band !== other.band) return one.band < other.band
  if (one.key !== other.key) return one.key > other.key
  if (one.score !== other.score) return one.score > other.score
  if (one.cost !== other.cost) return (one.cost ?? Number.POSITIVE_INFINITY) < (other.cost ?? Number.POSITIVE_INFINITY)
  return one.candidate.id < other.candidate.id
}
