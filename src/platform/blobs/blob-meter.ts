import { createHash } from 'node:crypto'
import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { problem } from '../../contract/problems.ts'
import { HEAD_BYTES } from '../../base/sniff/head-bytes.ts'
import type { WrittenBlob } from './blob-store.ts'
import { MB } from '../../base/units/units.ts'

/** Observes the bytes on their way to storage: their number, their hash, their beginning. */
export class BlobMeter {
  readonly #maxBytes: number
  readonly #hash = createHash('sha256')
  readonly #head = new ByteQueue()
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Yields the same bytes while counting them. */
  async *count(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.#take(chunk)
      yield chunk
    }
  }

  #take(chunk: Uint8Array): void {
    // The sender owns the chunk and may reuse it, so its beginning is copied.
    if (this.#size < HEAD_BYTES) this.#head.push(chunk.subarray(0, HEAD_BYTES - this.#size), true)
    this.#size += chunk.length
    if (this.#size > this.#maxBytes) throw tooLarge(this.#maxBytes)
    this.#hash.update(chunk)
  }

  result(): WrittenBlob {
    return { size: this.#size, sha256: this.#hash.digest('hex'), head: this.#head.takeAll() }
  }
}

function tooLarge(maxBytes: number) {
  const limit = maxBytes >= MB ? `${Math.floor(maxBytes / MB)} MB` : `${maxBytes} bytes`
  return problem('too_large', { message: `The file is larger than ${limit}, the limit of this gateway.` })
}
