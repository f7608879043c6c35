/** Ends one attempt, and not the call, if its first token takes too long while the call has another target. */
export class FirstTokenTimer {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  isOver = false

  constructor(call: AbortSignal, ms: number) {
    // The listener stays for the rest of the call: a caller who leaves later has to reach this attempt's socket too.
    call.addEventListener('abort', () => this.#controller.abort(call.reason), { once: true })
    this.#timer = setTimeout(() => {
      this.isOver = true
      this.#controller.abort(new Error('the first token did not come in time'))
    }, ms)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}
