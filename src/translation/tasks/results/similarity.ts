import { score } from '../fields/score.ts'
import { TaskFailure } from '../http/task-failure.ts'

type Metric = 'cosine' | 'hamming' | 'manhattan' | 'euclidean'
type Measure = (one: readonly number[], other: readonly number[]) => number

/** All from 0 to 1, where 1 is the same. */
const MEASURES: Record<Metric, Measure> = {
  cosine: (one, other) => {
    const lengths = Math.sqrt(sum(one, (value) => value * value) * sum(other, (value) => value * value))
    // Less than nothing in common is irrelevant, too. Rounding can exceed 1.
    return lengths === 0 ? 0 : Math.min(1, Math.max(0, sum(one, (value, at) => value * other[at]!) / lengths))
  },
  euclidean: (one, other) => 1 / (1 + Math.sqrt(sum(one, (value, at) => (value - other[at]!) ** 2))),
  manhattan: (one, other) => 1 / (1 + sum(one, (value, at) => Math.abs(value - other[at]!))),
  // Of vectors of real numbers, only the signs are compared.
  hamming: (one, other) => sum(one, (value, at) => Number(value > 0 === other[at]! > 0)) / one.length,
}

/** How similar vectors are to that of the query. */
export function similarityTo(query: readonly number[], metric: Metric | null | undefined) {
  const measure = MEASURES[metric ?? 'cosine']
  return (vector: readonly number[]): number => {
    const similarity = vector.length === query.length ? measure(query, vector) : Number.NaN
    if (Number.isFinite(similarity)) return similarity
    throw new TaskFailure('garbage', 'the vectors of the answer cannot be compared')
  }
}

/** The texts by their similarity, best first; equals in their order. */
export function ranked(similarities: readonly number[]) {
  const order = [...similarities.keys()].sort((one, other) => similarities[other]! - similarities[one]!)
  return {
    items: order.map((document) => ({ object: 'search_result', document, score: score(similarities[document]!) })),
  }
}

function sum(numbers: readonly number[], of: (value: number, at: number) => number): number {
  let total = 0
  for (let at = 0; at < numbers.length; at++) total += of(numbers[at]!, at)
  return total
}
