import type { AnswerChunk } from '../../wire/answer.ts'
import type { WireEvent } from '../../wire/wire.ts'
import type { ChatDecoder } from '../chat-codec.ts'

/** A decoder around another one, whose chunks it changes. It ends when the inner one does: nothing that follows is read. */
export abstract class WrappedDecoder implements ChatDecoder {
  protected readonly inner: ChatDecoder

  constructor(inner: ChatDecoder) {
    this.inner = inner
  }

  get ended(): boolean {
    return this.inner.ended
  }

  get done(): boolean {
    return this.inner.done
  }

  get malformed(): number {
    return this.inner.malformed
  }

  feed(event: WireEvent): AnswerChunk[] {
    return this.inner.done ? [] : this.read(event)
  }

  protected abstract read(event: WireEvent): AnswerChunk[]
}
