import type { Attempt } from '../../calls/attempts/attempt.ts'
import { type Failure, isFailure, toProblem } from '../../calls/attempts/failures.ts'
import { noteBroken, recordAbandoned, recordFailure, recordSuccess } from '../../calls/attempts/record-outcome.ts'
import type { Ending } from '../../calls/attempts/plan.ts'
import type { Call } from '../../calls/call.ts'
import type { ChatTarget } from '../../calls/routing/chat-targets.ts'

export type RelayedAudio = {
  call: Call
  target: ChatTarget
  ending: Ending
  /** Pays for what was ordered; called when the answer has ended, however that was, and perhaps again. */
  pay(how: 'whole' | 'cut'): void
  judge: Judge
}

/** Tells the circuit of the target how the answer ended: whole, unknown because the caller has left, or with a failure. */
type Judge = (end: 'whole' | 'left' | Failure) => void

export function judgeOf(attempt: Attempt): Judge {
  attempt.verdict.comesLater = true
  return (end) => {
    if (end === 'whole') recordSuccess(attempt)
    else if (end === 'left') recordAbandoned(attempt)
    else {
      recordFailure(attempt, end)
      noteBroken(attempt, end)
    }
  }
}

/**
 * Passes the bytes of an answer on, and ends the call when they have been read, or when the reader has left. This is not a generator,
 * because nothing of a generator runs for a reader that leaves before it has read anything.
 */
export class AudioRelay implements AsyncIterableIterator<Uint8Array> {
  readonly #bytes: AsyncIterator<Uint8Array>
  readonly #relayed: RelayedAudio

  /** `isOver` is called before the last bytes, after which a client does not wait for the end of the body. */
  constructor(bytesOf: (isOver: () => void) => AsyncIterable<Uint8Array>, relayed: RelayedAudio) {
    this.#relayed = relayed
    this.#bytes = bytesOf(() => this.#close())[Symbol.asyncIterator]()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    try {
      const next = await this.#bytes.next()
      if (next.done) this.#close()
      return next
    } catch (error) {
      const { call, target, judge } = this.#relayed
      judge(isFailure(error) && !call.signal.aborted ? error : 'left')
      throw this.#fail(isFailure(error) ? toProblem(error, target, call.record.reasonGuards) : error)
    }
  }

  /** The reader leaves. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    try {
      this.#relayed.judge('left')
      this.#fail(undefined)
    } finally {
      await this.#bytes.return?.()
    }
    return { done: true, value: undefined }
  }

  #close(): void {
    const { call, ending, judge } = this.#relayed
    judge(call.signal.aborted ? 'left' : 'whole')
    if (call.signal.aborted) return void this.#fail(undefined)
    this.#pay('whole')
    ending.close()
  }

  /** Returns what the caller is told. If the call has ended before, that is its end. */
  #fail(error: unknown): unknown {
    this.#pay('cut')
    return this.#relayed.ending.fail(error)
  }

  /** A call that cannot be billed has ended all the same. */
  #pay(how: 'whole' | 'cut'): void {
    const { ending, pay } = this.#relayed
    try {
      pay(how)
    } catch (error) {
      throw ending.fail(error)
    }
  }
}
