import type { AnswerChunk } from '../../../translation/wire/answer.ts'
import { WrappedDecoder } from '../../../translation/dialects/answer/wrapped-decoder.ts'
import type { ChatDecoder } from '../../../translation/dialects/chat-codec.ts'
import type { WireEvent } from '../../../translation/wire/wire.ts'

/** Signs the containers that the chunks of another decoder name. */
export class SigningDecoder extends WrappedDecoder {
  readonly #sign: (chunk: AnswerChunk) => void

  constructor(inner: ChatDecoder, sign: (chunk: AnswerChunk) => void) {
    super(inner)
    this.#sign = sign
  }

  protected read(event: WireEvent): AnswerChunk[] {
    const chunks = this.inner.feed(event)
    for (const chunk of chunks) this.#sign(chunk)
    return chunks
  }
}
