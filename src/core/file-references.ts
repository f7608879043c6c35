import { sniffType } from '../blobs/sniff/sniff-type.ts'
import { type Fault, problem } from '../contract/problems.ts'
import type { TaskFile } from '../features/feature.ts'
import { gather } from './gather.ts'
import { HEAD_BYTES, isBlobId } from '../blobs/blob-store.ts'
import { getUpload, readBytes } from './files.ts'
import type { Outside } from './outside.ts'
import { heldBytes, type Shelved } from './shelf-sink.ts'

// A file that a caller names: an upload of the same owner, or an address that is fetched through the egress guard.

const FETCH_MS = 30_000
const MAX_FILES = 100

export type NamedFile = { reference: string; loc: Fault['loc'] }
export type Asking = { owner: string; signal: AbortSignal }
/** A file that may be read as a whole, or piece by piece. */
export type OpenFile = TaskFile & Pick<Shelved, 'read'>
/** What becomes of bytes that are fetched. */
type Keep = (bytes: AsyncIterable<Uint8Array>) => Promise<Shelved>

/** All files of one request. Together they may be as large as one may be: all of them may come to stand in memory at once. */
export async function openReferences(
  named: readonly NamedFile[],
  asking: Asking,
  outside: Outside,
  keep: Keep = inMemory,
): Promise<OpenFile[]> {
  if (named.length > MAX_FILES)
    throw problem('too_large', { message: `A request may name ${MAX_FILES} files at most.` })
  let left = outside.files.maxFileBytes
  const files: OpenFile[] = []
  for (const one of named) {
    const file = await openReference(one, asking, { maxBytes: left, keep }, outside)
    left -= file.size
    if (left < 0) throw problem('too_large', { message: 'The files of this request are too large together.' })
    files.push(file)
  }
  return files
}

async function openReference(
  { reference, loc }: NamedFile,
  { owner, signal }: Asking,
  { maxBytes, keep }: { maxBytes: number; keep: Keep },
  outside: Outside,
): Promise<OpenFile> {
  return isBlobId(reference)
    ? await openUpload(reference, owner, outside)
    : await fetchFile(reference, loc, { maxBytes, signal }, outside, keep)
}

async function openUpload(id: string, owner: string, { files }: Outside): Promise<OpenFile> {
  const { name, type, size, metadata } = await getUpload(id, owner, files)
  const { page_count: pages = null } = JSON.parse(metadata) as { page_count?: number }
  return { name, type, size, pages, read, bytes: () => gather(read()) }

  async function* read() {
    yield* await readBytes({ id, owner }, files)
  }
}

async function fetchFile(
  url: string,
  loc: Fault['loc'],
  limits: { maxBytes: number; signal: AbortSignal },
  { egress }: Outside,
  keep: Keep,
): Promise<OpenFile> {
  const { status, body } = await egress.get({ url, timeoutMs: FETCH_MS, ...limits }, loc)
  if (status !== 200) {
    await body[Symbol.asyncIterator]().return?.()
    const msg = `The address answered with status ${status}`
    throw problem('validation_error', { message: `${msg}.`, detail: [{ loc, msg, type: 'value_error' }] })
  }
  const kept = await egress.read(body, loc, keep)
  return {
    name: nameIn(url),
    type: sniffType(kept.head.subarray(0, HEAD_BYTES)),
    size: kept.length,
    pages: null,
    read: kept.read,
    bytes: () => gather(kept.read()),
  }
}

async function inMemory(bytes: AsyncIterable<Uint8Array>): Promise<Shelved> {
  return heldBytes(await gather(bytes))
}

function nameIn(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) || 'file'
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
