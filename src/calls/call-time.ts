import { problem } from '../contract/problems.ts'

/** The time that a call may take over all attempts, waits and the answer itself, and what is released when it is over. */
export class CallTime {
  readonly #startedAt: number
  readonly #controller: AbortController | undefined
  readonly #callerMs: number | undefined
  #releases: (() => Promise<void>)[] | undefined
  #timer: NodeJS.Timeout | undefined
  #endsAt = Number.POSITIVE_INFINITY

  /** Without a controller, the code that opened the call limits its time. `callerMs` is what the caller is willing to wait. */
  constructor(startedAt: number, controller?: AbortController, callerMs?: number) {
    this.#startedAt = startedAt
    this.#controller = controller
    this.#callerMs = callerMs
  }

  /** On the monotonic clock. */
  get endsAt(): number {
    return this.#endsAt
  }

  /** The first limit counts. */
  limit(totalMs: number): void {
    if (!this.#controller || this.#timer) return
    const ms = Math.min(totalMs, this.#callerMs ?? totalMs)
    this.#endsAt = this.#startedAt + ms
    this.#timer = setTimeout(raise, ms, this.#controller)
  }

  /** Something that the call holds until it ends, such as temp files. */
  holds(release: () => Promise<void>): void {
    this.#releases ??= []
    this.#releases.push(release)
  }

  end(): void {
    clearTimeout(this.#timer)
    // A file that cannot be closed now is closed when the process ends, so this failure need not fail the call.
    for (const release of this.#releases ?? []) release().catch(() => {})
    this.#releases = undefined
  }
}

function raise(controller: AbortController): void {
  controller.abort(TOO_LATE)
}

const TOO_LATE = problem('upstream_timeout', {
  message: 'The time for this request ended before the answer was complete.',
  limit: 'total',
})
