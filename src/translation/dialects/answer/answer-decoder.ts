import type { ChatChunk } from '../../../contract/chat-reply.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { StreamedCalls } from './complete-tool-calls.ts'
import { WrappedDecoder } from './wrapped-decoder.ts'

/** The rules for the streams of every dialect: no tool call breaks off, and what is sent again counts once. */
export class AnswerDecoder extends WrappedDecoder {
  readonly #calls = new StreamedCalls()
  /** The data of the event that ended the answer. */
  #lastData: string | undefined
  #firstData: string | undefined
  /** The stream has begun anew after its end. */
  #isRepeated = false

  /** A call that begins after the finish reason belongs to the answer too. */
  override get ended(): boolean {
    return this.inner.ended && !this.#calls.areOpen
  }

  override get done(): boolean {
    return this.inner.done || this.#isRepeated
  }

  protected read(event: WireEvent): ChatChunk[] {
    // Some servers send their last event twice, and some the whole stream. Anything else after the end is more of the answer.
    if (this.#isRepeated || this.#lastData === event.data) return []
    this.#isRepeated = this.inner.ended && event.data === this.#firstData
    if (this.#isRepeated) return []
    this.#firstData ??= event.data
    const chunks = this.inner.feed(event)
    for (const { choices } of chunks) for (const choice of choices) this.#calls.follow(choice)
    if (this.#lastData === undefined && this.inner.ended) this.#lastData = event.data
    return chunks
  }
}
