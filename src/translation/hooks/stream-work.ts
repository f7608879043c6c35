import { problem } from '../../contract/problems.ts'
import { OutOfSteps } from './step-budget.ts'

/** Runs work on a passing text. If it exceeds the budget, the call ends. */
export function inStreamWork<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error
    throw problem('too_large', { message: 'The patterns take too long on a text of this size. Simplify them.' })
  }
}
