/** The clock of the store, as this process knows it: never behind it, so that nothing stops counting too early. */
export class StoreClock {
  readonly monotonic: () => number
  #ahead: number | undefined

  constructor(monotonic: () => number) {
    this.monotonic = monotonic
  }

  /** The store has said what time it was, some time after this process asked. Both clocks leave out parts of a millisecond. */
  heard(at: number, askedAt: number): void {
    this.#ahead = at + 2 - askedAt
  }

  /** Before the store has said anything, nothing was granted and nothing counts. */
  read(): number {
    return Math.ceil(this.monotonic() + (this.#ahead ?? 0))
  }

  get isKnown(): boolean {
    return this.#ahead !== undefined
  }
}
