import { OutOfSteps, StepBudget } from '../../hooks/step-budget.ts'
import { Unreadable } from './unreadable.ts'

/** Half a second of work. */
const MAX_STEPS = 10_000_000

/** Runs the rules of a caller within a budget of steps. */
export function inSteps<Result>(tooMuch: string, work: (budget: StepBudget) => Result): Result {
  try {
    return work(new StepBudget(MAX_STEPS))
  } catch (error) {
    if (error instanceof OutOfSteps) throw new Unreadable(tooMuch)
    throw error
  }
}
