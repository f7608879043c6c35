import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { GATEWAY_OWNER } from '../../translation/wire/wire.ts'
import { capacityFor, FairSemaphore } from '../../base/fairness/fair-semaphore.ts'
import { spent } from './spent-buffers.ts'
import { onDisk, storageProblem } from './storage-problem.ts'

const READ_BYTES = 64 * 1024
/** How many bytes one owner may have in temp files at once. A third more is there for other owners. */
const MAX_BYTES = 16 * 1024 ** 3
const bytesOnDisk = new FairSemaphore({ capacity: capacityFor(MAX_BYTES) })

/**
 * Holds bytes that are too many for memory. The file is unlinked as soon as it is open, so nothing is left however the
 * process ends.
 */
export class TempFile {
  readonly #folder: string
  readonly #owner: string
  readonly #disk: FairSemaphore
  #reserved = 0
  #opening: Promise<FileHandle> | undefined
  #size = 0

  constructor(folder: string, owner = GATEWAY_OWNER, disk = bytesOnDisk) {
    this.#folder = folder
    this.#owner = owner
    this.#disk = disk
  }

  get size(): number {
    return this.#size
  }

  /** Calls must not overlap: wait for one before the next. */
  async append(chunk: Uint8Array): Promise<void> {
    if (!this.#disk.tryAcquire(this.#owner, chunk.length)) throw storageProblem(TOO_MUCH)
    this.#reserved += chunk.length
    this.#opening ??= onDisk(() => openNameless(this.#folder))
    const handle = await this.#opening
    for (let from = 0; from < chunk.length; ) {
      const { bytesWritten } = await onDisk(() => handle.write(chunk, from, chunk.length - from, this.#size))
      from += bytesWritten
      this.#size += bytesWritten
    }
    spent(chunk.length)
  }

  /** May be called any number of times. */
  async *read(from: number, to: number): AsyncGenerator<Uint8Array> {
    const handle = await this.#opening
    for (let at = from; at < to; ) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, to - at))
      const { bytesRead = 0 } = (await handle?.read(chunk, 0, chunk.length, at)) ?? {}
      if (bytesRead === 0) throw new Error('the temp file ends early')
      at += bytesRead
      yield chunk.subarray(0, bytesRead)
      spent(bytesRead)
    }
  }

  async close(): Promise<void> {
    const handle = await this.#opening?.catch(() => undefined)
    if (this.#reserved > 0) this.#disk.release(this.#owner, this.#reserved)
    this.#reserved = 0
    await handle?.close()
  }
}

const TOO_MUCH = 'This owner has too many bytes in temp files. Try again when some of its requests have ended.'

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `temp.${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  await unlink(path)
  return handle
}
