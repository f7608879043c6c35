/** A caller's rules cause more work than allowed. */
export class OutOfSteps extends Error {
  override readonly name = 'OutOfSteps'
}

/** How many characters are skipped, copied or compared in about the time of one other step. */
export const CHARS_PER_STEP = 16

/**
 * Counts the work that a caller's rules (schemas, patterns) cause while it is done: everything whose time grows with its
 * input is charged here. A step takes some 10 to 50 ns.
 */
export class StepBudget {
  #remaining: number

  constructor(steps: number) {
    this.#remaining = steps
  }

  get remaining(): number {
    return this.#remaining
  }

  spend(steps: number): void {
    if (steps > this.#remaining) throw new OutOfSteps('These rules cause too much work.')
    this.#remaining -= steps
  }

  spendChars(chars: number): void {
    this.spend(1 + chars / CHARS_PER_STEP)
  }
}
