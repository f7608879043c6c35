import { problem } from '../contract/problems.ts'
import { OutOfSteps } from './step-budget.ts'

/** Work on a text that is passing: what takes more than it may ends the call. */
export function inStreamWork<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error
    throw problem('too_large', { message: 'The patterns take too long on a text of this size. Simplify them.' })
  }
}
