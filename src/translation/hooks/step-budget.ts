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
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  get left(): number {
    return this.#left
  }

  spend(steps: number): void {
    if (steps > this.#left) throw new OutOfSteps('These rules cause too much work.')
    this.#left -= steps
  }

  spendChars(chars: number): void {
    this.spend(1 + chars / CHARS_PER_STEP)
  }
}
