import Type from '../../../base/schema/type.ts'
import { score } from './score.ts'

const STEPS = [0.2, 0.4, 0.6, 0.8, 1]
const NO_ITEMS = { nsfw_likelihood: 0, nsfw_likelihood_score: 0 }

export function likelihoodField(description: string) {
  return Type.Integer({ minimum: 0, maximum: STEPS.length, description })
}

/** Converts a score from 0 to 1 to the scale from 1 to 5. */
export function likelihoodOf(value: number): number {
  const step = STEPS.findIndex((border) => value <= border)
  return step < 0 ? STEPS.length : step + 1
}

/** The two summary fields of a list of findings: the highest values, or 0 if there are none. */
export function worstOf(items: readonly { likelihood: number; likelihood_score: number }[]): typeof NO_ITEMS {
  return items.reduce(
    (worst, item) => ({
      nsfw_likelihood: Math.max(worst.nsfw_likelihood, item.likelihood),
      nsfw_likelihood_score: Math.max(worst.nsfw_likelihood_score, score(item.likelihood_score)),
    }),
    NO_ITEMS,
  )
}
