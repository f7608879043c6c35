import { randomUUID } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { isResourceId } from '../../base/schema/resource-id.ts'
import { createOnce } from './create-once.ts'
import { parseBlobUrl } from './s3-location.ts'

const ID_FILE = 'folder-id'
const ID_CHARS = 36

/** Where blobs are. Processes with the same place share their blobs. */
export type BlobLocation = { kind: 'folder' | 's3'; name: string }

/**
 * A folder is known by a random id in a file inside of it: its path says nothing, because the same path is another folder
 * on another machine, and a shared folder may have different paths. A bucket is known by its name and prefix; its endpoint
 * may have different names in different networks.
 */
export async function blobLocation(dataDir: string, blobUrl: string | undefined): Promise<BlobLocation> {
  if (blobUrl === undefined) return { kind: 'folder', name: await folderId(join(dataDir, 'blobs')) }
  return { kind: 's3', name: parseBlobUrl(blobUrl).name }
}

async function folderId(folder: string): Promise<string> {
  const path = join(folder, ID_FILE)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const existing = await readId(path)
  if (existing) return existing
  await createOnce(path, `${randomUUID()}\n`)
  const created = await readId(path)
  if (!created) throw new Error(`${path} does not hold the id of the folder. Delete the file to get a new id.`)
  return created
}

async function readId(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!file) return undefined
  await using _ = file
  const { buffer, bytesRead } = await file.read(Buffer.alloc(ID_CHARS), 0, ID_CHARS, 0)
  const id = buffer.toString('latin1', 0, bytesRead)
  return isResourceId(id) ? id : undefined
}
