/** What was tried, and how it went. */
export class Report {
  #wrong = 0
  #skipped = 0

  line(what: string, isRight: boolean, detail = ''): void {
    if (!isRight) this.#wrong++
    console.log(`${isRight ? 'ok     ' : 'WRONG  '} ${what}${detail && `: ${detail}`}`)
  }

  skipped(what: string, why: string): void {
    this.#skipped++
    console.log(`skipped ${what}: ${why}`)
  }

  /** Returns the exit code. */
  end(): number {
    console.log(`${this.#wrong} wrong, ${this.#skipped} skipped.`)
    return this.#wrong === 0 ? 0 : 1
  }
}
