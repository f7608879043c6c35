import { problem } from '../../contract/problems.ts'
import { OutOfSteps, StepBudget } from './step-budget.ts'

/** A few milliseconds. */
const STEPS_PER_TURN = 100_000
/** About a second for all hooks of a call: 400,000 places. Each takes memory, too. */
const MAX_STEPS = 20_000_000

/**
 * Work on the event loop that grows with what is found in a text, such as replacing it. It is done in slices: after each, other
 * calls have their turn.
 */
export class LongWork {
  readonly #nextTurn: () => Promise<void>
  readonly #budget: StepBudget
  #remaining = STEPS_PER_TURN

  constructor(nextTurn: () => Promise<void>, steps = MAX_STEPS) {
    this.#nextTurn = nextTurn
    this.#budget = new StepBudget(steps)
  }

  /** Undefined if the work may go on in this turn. */
  spend(steps: number): Promise<void> | undefined {
    try {
      this.#budget.spend(steps)
    } catch (error) {
      throw error instanceof OutOfSteps ? tooMuch() : error
    }
    this.#remaining -= steps
    if (this.#remaining > 0) return undefined
    this.#remaining = STEPS_PER_TURN
    return this.#nextTurn()
  }
}

function tooMuch() {
  return problem('too_large', {
    message: 'These texts have too many places that hooks have to replace. Send less at once.',
  })
}
