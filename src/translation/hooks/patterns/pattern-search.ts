import type { PatternMachine, Spot } from './pattern-machine.ts'

/**
 * Searches a text, which may arrive in pieces, for any of the patterns. Every character is read once, so that no pattern
 * can cause the blow-up of a backtracking matcher.
 */
export class PatternSearch {
  readonly #machine: PatternMachine
  #spot: Spot

  constructor(machine: PatternMachine) {
    this.#machine = machine
    this.#spot = machine.start
  }

  /**
   * Returns the index of the pattern that was found, or -1. A match is known at the latest one character after it, or at
   * the end.
   */
  next(unit: number): number {
    if (this.#spot.found >= 0) return this.#spot.found
    this.#spot = this.#machine.next(this.#spot, unit)
    return this.#spot.found
  }

  end(): number {
    return this.#machine.foundAtEnd(this.#spot)
  }

  /** Whether nothing read so far can be the beginning of a match. */
  get isQuiet(): boolean {
    return this.#spot.states.length === 0
  }
}
