import type { ChatChunk } from '../../contract/chat-reply.ts'
import { WrappedDecoder } from '../../dialects/answer/wrapped-decoder.ts'
import type { ChatDecoder } from '../../dialects/chat-codec.ts'
import type { WireEvent } from '../../wire/wire.ts'

/** Signs the containers that the chunks of another decoder name. */
export class SigningDecoder extends WrappedDecoder {
  readonly #sign: (chunk: ChatChunk) => void

  constructor(inner: ChatDecoder, sign: (chunk: ChatChunk) => void) {
    super(inner)
    this.#sign = sign
  }

  protected read(event: WireEvent): ChatChunk[] {
    const chunks = this.inner.feed(event)
    for (const chunk of chunks) this.#sign(chunk)
    return chunks
  }
}
