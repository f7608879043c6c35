import type { AnswerPiece } from '../../wire/answer.ts'
import { saysSomething } from './says-something.ts'

/** Which answers of a stream have a finish reason, and which of them went on after it. */
export class AfterEnds {
  readonly #ended = new Set<number>()
  readonly #goingOn = new Set<number>()

  note({ index, finish_reason, delta }: AnswerPiece): void {
    if (finish_reason) {
      this.#ended.add(index)
      this.#goingOn.delete(index)
    } else if (this.#ended.has(index) && saysSomething(delta)) this.#goingOn.add(index)
  }

  get hasEnds(): boolean {
    return this.#ended.size > 0
  }

  /** A part of an answer came after its reason: nothing but the end of the stream says that this was all. */
  get hasMore(): boolean {
    return this.#goingOn.size > 0
  }
}
