import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inBlocks } from '../../base/bytes/in-blocks.ts'
import { problem } from '../../contract/problems.ts'
import { BlobMeter } from './blob-meter.ts'
import { type BlobStore, type ByteRange, requireBlobId, requireRange, type WrittenBlob } from './blob-store.ts'
import { partialName, sweepPartialFiles } from './partial-files.ts'
import { spent } from './spent-buffers.ts'
import { onDisk } from './storage-problem.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const READ_BYTES = 64 * 1024
const PARTIAL_FOLDER = 'partial'
const WHOLE: ByteRange = { start: 0, end: Number.MAX_SAFE_INTEGER }

/** Stores files as `<dataDir>/blobs/<first two characters>/<id>`. Several processes may share the folder. */
export async function openDisk(dataDir: string): Promise<BlobStore> {
  const root = join(dataDir, 'blobs')
  const partials = join(root, PARTIAL_FOLDER)
  await mkdir(partials, { recursive: true, mode: FOLDER_MODE })
  await sweepPartialFiles(partials)
  return new DiskStore(root, partials)
}

class DiskStore implements BlobStore {
  readonly #root: string
  readonly #partials: string
  /** Folders whose own directory entry is known to be durable; 256 at most. */
  readonly #settled = new Set<string>()

  constructor(root: string, partials: string) {
    this.#root = root
    this.#partials = partials
  }

  async write(id: string, bytes: AsyncIterable<Uint8Array>, { maxBytes }: { maxBytes: number }): Promise<WrittenBlob> {
    requireBlobId(id)
    const partial = join(this.#partials, partialName())
    try {
      const written = await writePartial(partial, bytes, new BlobMeter(maxBytes))
      await onDisk(() => this.#publish(partial, id))
      return written
    } catch (error) {
      await remove(partial).catch(() => false)
      throw error
    }
  }

  async read(id: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    if (!isResourceId(id)) return undefined
    if (range) requireRange(range)
    const found = await onDisk(() => unlessMissing(stat(this.#path(id))))
    return found && readFile(this.#path(id), range)
  }

  async delete(id: string): Promise<boolean> {
    return isResourceId(id) && (await onDisk(() => remove(this.#path(id))))
  }

  /** The rename makes the file appear as a whole or not at all. It is durable once the folder is synced too. */
  async #publish(partial: string, id: string): Promise<void> {
    const folder = this.#folder(id)
    const made = await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
    await rename(partial, this.#path(id))
    try {
      await syncFolder(folder)
      if (made || !this.#settled.has(folder)) await syncFolder(this.#root)
      this.#settled.add(folder)
    } catch (error) {
      await remove(this.#path(id)).catch(() => false)
      throw error
    }
  }

  #folder(id: string): string {
    return join(this.#root, id.slice(0, 2))
  }

  #path(id: string): string {
    return join(this.#folder(id), id)
  }
}

async function writePartial(path: string, bytes: AsyncIterable<Uint8Array>, meter: BlobMeter): Promise<WrittenBlob> {
  await using file = await onDisk(() => open(path, 'wx', FILE_MODE))
  for await (const block of inBlocks(meter.count(bytes))) await onDisk(() => writeAll(file, block))
  await onDisk(() => file.sync())
  return meter.result()
}

/** A disk that fills up accepts a part of a write before it refuses the next one. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, offset, chunk.length - offset)
    offset += bytesWritten
  }
}

/** The file is opened when the first byte is requested, so that a file that is never read leaves no descriptor open. */
async function* readFile(path: string, range: ByteRange = WHOLE): AsyncGenerator<Uint8Array> {
  await using file = await onDisk(() => unlessMissing(open(path, 'r')))
  if (!file) throw problem('not_found', { message: 'This file was deleted.' })
  for (let position = range.start; position <= range.end; ) {
    const length = Math.min(READ_BYTES, range.end - position + 1)
    const { bytesRead, buffer } = await onDisk(() => file.read(Buffer.allocUnsafeSlow(length), 0, length, position))
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
    spent(bytesRead)
  }
}

/** Windows cannot flush a folder: there, a file that was just stored may be missing after a power failure. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}

async function remove(path: string): Promise<boolean> {
  return (await unlessMissing(unlink(path).then(() => true))) ?? false
}

async function unlessMissing<Value>(action: Promise<Value>): Promise<Value | undefined> {
  return action.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
