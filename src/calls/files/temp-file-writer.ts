import type { TempFile } from '../../platform/blobs/temp-file.ts'
import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { inBlocks } from '../../base/bytes/in-blocks.ts'
import type { TempFiles } from './temp-files.ts'

/** Bytes in memory or in a temp file: those of an upload, or an image's base64. */
export type TempBytes = {
  length: number
  /** The beginning, from which the type can be detected. */
  head: Uint8Array
  /** Reads from the beginning. It can be called more than once. */
  read(): AsyncIterable<Uint8Array>
}

/** Shorter contents are not worth a file. */
export const HELD_BYTES = 128 * 1024
/** A multiple of four, the length of a base64 group. */
const HEAD_BYTES = 88 * 1024

/** Keeps arriving bytes in memory while they are few, and then in a temp file. */
export class TempFileWriter {
  readonly #tempFiles: TempFiles
  readonly #buffered = new ByteQueue()
  #head: Uint8Array | undefined
  #tempFile: TempFile | undefined
  #length = 0

  constructor(tempFiles: TempFiles) {
    this.#tempFiles = tempFiles
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#length += bytes.length
    if (this.#tempFile) return await this.#tempFile.append(bytes)
    this.#buffered.push(bytes)
    if (this.#length > HELD_BYTES) await this.#moveOut()
  }

  end(): TempBytes {
    const [length, tempFile] = [this.#length, this.#tempFile]
    if (tempFile) return { length, head: this.#head!, read: () => tempFile.read(0, length) }
    return heldBytes(this.#buffered.takeAll())
  }

  async #moveOut(): Promise<void> {
    this.#tempFile = this.#tempFiles.open()
    const pieces = this.#buffered.takePieces()
    this.#head = Buffer.concat(pieces, HEAD_BYTES)
    for (const bytes of pieces) await this.#tempFile.append(bytes)
  }
}

export function heldBytes(bytes: Uint8Array): TempBytes {
  const { length } = bytes
  return { length, head: bytes.subarray(0, HEAD_BYTES), read }

  async function* read() {
    yield bytes
  }
}

/** Writes bytes as they arrive. */
export async function toTempFile(bytes: AsyncIterable<Uint8Array>, tempFiles: TempFiles): Promise<TempBytes> {
  const sink = new TempFileWriter(tempFiles)
  for await (const block of inBlocks(bytes)) await sink.append(block)
  return sink.end()
}

/** Loads everything into memory, for code that cannot read a stream. */
export async function loaded({ length, read }: Pick<TempBytes, 'length' | 'read'>): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(length)
  let size = 0
  for await (const chunk of read()) {
    if (size + chunk.length > length) throw otherLength()
    buffer.set(chunk, size)
    size += chunk.length
  }
  // An unsafe buffer that is not filled would contain old memory.
  if (size < length) throw otherLength()
  return buffer
}

function otherLength(): Error {
  return new Error('The length of a stored file differs from its record')
}
