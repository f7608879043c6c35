import type { Delta } from '../../contract/chat-reply.ts'
import { problem } from '../../contract/problems.ts'
import { pieceBytes, valueBytes } from '../json/value-bytes.ts'

/** Some 16 million characters, or 400,000 pieces of a word each. */
const MAX_BYTES = 96_000_000

/** Formats that repeat an answer at its end keep all of it until then, so there has to be a limit. */
export class BufferedDeltas {
  #bytes = 0

  add(delta: Delta): void {
    this.#bytes += valueBytes(delta) + pieceBytes(delta.content ?? '')
    if (this.#bytes > MAX_BYTES) throw problem('upstream_error', { message: 'The answer is too long for this format.' })
  }
}
