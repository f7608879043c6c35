/** The work that a caller's rules cause is more than they may cause. */
export class OutOfSteps extends Error {
  override readonly name = 'OutOfSteps'
}

/** How many characters are passed over, copied or compared in about the time of one other step. */
const CHARS_PER_STEP = 16

/**
 * Counts the work that rules of a caller (schemas, patterns) cause, as it is done: everything that costs time by its size
 * is paid for here. A step takes some 10 to 50 ns.
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
    if (steps > this.#left) throw new OutOfSteps('These rules cause more work than they may.')
    this.#left -= steps
  }

  spendChars(chars: number): void {
    this.spend(1 + chars / CHARS_PER_STEP)
  }
}
