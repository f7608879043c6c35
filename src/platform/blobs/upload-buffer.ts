import { createReadStream } from 'node:fs'
import { mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inBlocks } from '../../base/bytes/in-blocks.ts'
import type { BlobMeter } from './blob-meter.ts'
import { partialName, sweepPartialFiles } from './partial-files.ts'

const READ_BYTES = 256 * 1024

/**
 * Holds a file on the disk between its sender and a storage that accepts it in large parts. Senders may be slow, and a part
 * in memory for each of them would fill it.
 */
export class UploadBuffer {
  readonly #folder: string
  #ready: Promise<void> | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  async fill(bytes: AsyncIterable<Uint8Array>, meter: BlobMeter): Promise<BufferedFile> {
    this.#ready ??= this.#prepare()
    await this.#ready
    const file = new BufferedFile(join(this.#folder, partialName()))
    try {
      await file.write(bytes, meter)
      return file
    } catch (error) {
      await file.remove()
      throw error
    }
  }

  /** Files that a dead process has left behind are useless. */
  async #prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await sweepPartialFiles(this.#folder)
  }
}

export class BufferedFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async write(bytes: AsyncIterable<Uint8Array>, meter: BlobMeter): Promise<void> {
    const handle = await open(this.#path, 'wx', 0o600)
    try {
      for await (const block of inBlocks(meter.count(bytes))) await handle.write(block)
    } finally {
      await handle.close()
    }
  }

  read(): AsyncIterable<Uint8Array> {
    return createReadStream(this.#path, { highWaterMark: READ_BYTES })
  }

  async remove(): Promise<void> {
    await unlink(this.#path).catch(() => undefined)
  }
}
