import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { spent } from './spent-buffers.ts'
import { onDisk } from './storage-problem.ts'

const READ_BYTES = 64 * 1024

/**
 * Bytes on their way that are too many for memory. They lie in a file whose name is taken away as soon as it is open:
 * however the process ends, nothing is left.
 */
export class Overflow {
  readonly #folder: string
  #opening: Promise<FileHandle> | undefined
  #size = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  get size(): number {
    return this.#size
  }

  /** One after the other: the next waits for the end of the last. */
  async append(chunk: Uint8Array): Promise<void> {
    this.#opening ??= onDisk(() => openNameless(this.#folder))
    const handle = await this.#opening
    for (let from = 0; from < chunk.length; ) {
      const { bytesWritten } = await onDisk(() => handle.write(chunk, from, chunk.length - from, this.#size))
      from += bytesWritten
      this.#size += bytesWritten
    }
    spent(chunk.length)
  }

  /** As often as wanted. */
  async *read(from: number, to: number): AsyncGenerator<Uint8Array> {
    const handle = await this.#opening
    for (let at = from; at < to; ) {
      const room = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, to - at))
      const { bytesRead = 0 } = (await handle?.read(room, 0, room.length, at)) ?? {}
      if (bytesRead === 0) throw new Error('the overflow ends early')
      at += bytesRead
      yield room.subarray(0, bytesRead)
      spent(bytesRead)
    }
  }

  async close(): Promise<void> {
    const handle = await this.#opening?.catch(() => undefined)
    await handle?.close()
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `overflow.${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  await unlink(path)
  return handle
}
