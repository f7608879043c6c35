import type { PatternMachine, Spot } from './pattern-machine.ts'

/**
 * Looks for any of the patterns in a text that may come in pieces. Every character is looked at once: what a pattern
 * could do to a backtracking matcher, it cannot do here.
 */
export class PatternSearch {
  readonly #machine: PatternMachine
  #spot: Spot

  constructor(machine: PatternMachine) {
    this.#machine = machine
    this.#spot = machine.start
  }

  /** Which pattern has been found, or -1. Known at the latest one character after it, or at the end. */
  next(unit: number): number {
    if (this.#spot.found >= 0) return this.#spot.found
    this.#spot = this.#machine.next(this.#spot, unit)
    return this.#spot.found
  }

  end(): number {
    return this.#machine.foundAtEnd(this.#spot)
  }

  /** Whether nothing that has passed can be the beginning of a match. */
  get isQuiet(): boolean {
    return this.#spot.states.length === 0
  }
}
