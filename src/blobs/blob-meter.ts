import { createHash } from 'node:crypto'
import { problem } from '../contract/problems.ts'
import { HEAD_BYTES, type WrittenBlob } from './blob-store.ts'

const BYTES_PER_MEGABYTE = 1024 * 1024

/** Looks at the bytes as they pass on their way to storage: how many, their hash, their beginning. */
export class BlobMeter {
  readonly #maxBytes: number
  readonly #hash = createHash('sha256')
  readonly #head: Uint8Array[] = []
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  take(chunk: Uint8Array): void {
    // Copied, because the chunk belongs to whoever sent it and may be used again.
    if (this.#size < HEAD_BYTES) this.#head.push(chunk.slice(0, HEAD_BYTES - this.#size))
    this.#size += chunk.length
    if (this.#size > this.#maxBytes) throw tooLarge(this.#maxBytes)
    this.#hash.update(chunk)
  }

  result(): WrittenBlob {
    return { size: this.#size, sha256: this.#hash.digest('hex'), head: Buffer.concat(this.#head) }
  }
}

function tooLarge(maxBytes: number) {
  const limit = maxBytes >= BYTES_PER_MEGABYTE ? `${Math.floor(maxBytes / BYTES_PER_MEGABYTE)} MB` : `${maxBytes} bytes`
  return problem('too_large', { message: `The file is larger than ${limit}, the most this gateway stores.` })
}
