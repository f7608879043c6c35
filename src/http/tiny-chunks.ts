import { problem } from '../contract/problems.ts'

const MAX_TINY_CHUNKS = 50_000
const TINY_BYTES = 64

export const TOO_MANY_CHUNKS = problem('too_large', {
  message: `A body may have at most ${MAX_TINY_CHUNKS} chunks of less than ${TINY_BYTES} bytes. Send larger chunks.`,
})

/**
 * Each chunk costs Node's parser microseconds, and all other callers wait while it parses a body in chunks of a few bytes.
 * JSON writers that send word by word stay far below the limit.
 */
export class TinyChunks {
  #count = 0

  isTooMany(chunk: Uint8Array): boolean {
    return chunk.length < TINY_BYTES && ++this.#count > MAX_TINY_CHUNKS
  }
}
