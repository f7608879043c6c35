import { sniffType } from '../blobs/sniff/sniff-type.ts'
import { problem } from '../contract/problems.ts'
import type { ValidationIssue } from '../schema/validation-issue.ts'
import type { OpenFile } from '../files/open-file.ts'
import { HEAD_BYTES, isBlobId } from '../blobs/blob-store.ts'
import type { CallStart } from '../calls/call.ts'
import { getUpload, readBytes } from '../files/files.ts'
import type { TempFiles } from '../files/temp-files.ts'
import { COPIES_OF_FILE, type MemoryLease, UNCOUNTED_BYTES } from '../calls/memory-budget.ts'
import type { AppContext } from '../app/context.ts'
import { loaded, type TempBytes, toTempFile } from '../files/temp-file-writer.ts'

// A file that a caller names: an upload of the same owner, or an address that is fetched through the egress guard.

const FETCH_MS = 30_000
const MAX_FILES = 100

export type NamedFile = { reference: string; loc: ValidationIssue['loc'] }
/** For whom, how long, and where what is fetched lies: whoever opened the shelf closes it when the files are done with. */
export type Asking = { owner: string; signal: AbortSignal; memory?: MemoryLease | undefined; tempFiles: TempFiles }

export function askingFor({ caller, signal, memory }: CallStart, tempFiles: TempFiles): Asking {
  return { owner: caller.owner, signal, memory, tempFiles }
}

/** All files of one request. Together they may be as large as one may be: all of them may come to stand in memory at once. */
export async function openReferences(
  named: readonly NamedFile[],
  asking: Asking,
  context: AppContext,
): Promise<OpenFile[]> {
  if (named.length > MAX_FILES)
    throw problem('too_large', { message: `A request may name ${MAX_FILES} files at most.` })
  let left = context.files.maxFileBytes
  const files: OpenFile[] = []
  for (const one of named) {
    const file = await openReference(one, asking, left, context)
    left -= file.size
    if (left < 0) throw problem('too_large', { message: 'The files of this request are too large together.' })
    files.push(file)
  }
  return files
}

async function openReference(
  { reference, loc }: NamedFile,
  asking: Asking,
  maxBytes: number,
  context: AppContext,
): Promise<OpenFile> {
  return isBlobId(reference)
    ? await openUpload(reference, asking, context)
    : await fetchFile(reference, loc, { ...asking, maxBytes }, context)
}

async function openUpload(id: string, asking: Asking, { files }: AppContext): Promise<OpenFile> {
  const { name, type, size, metadata } = await getUpload(id, asking.owner, files)
  const { page_count: pages = null } = JSON.parse(metadata) as { page_count?: number }
  return { name, type, size, pages, read, bytes: countedBytes({ length: size, read }, asking) }

  async function* read() {
    yield* await readBytes({ id, owner: asking.owner }, files)
  }
}

async function fetchFile(
  url: string,
  loc: ValidationIssue['loc'],
  { maxBytes, ...asking }: Asking & { maxBytes: number },
  { callerUrls }: AppContext,
): Promise<OpenFile> {
  const { signal, tempFiles } = asking
  const { status, body } = await callerUrls.get({ url, timeoutMs: FETCH_MS, maxBytes, signal }, loc)
  if (status !== 200) {
    await body[Symbol.asyncIterator]().return?.()
    const msg = `The address answered with status ${status}`
    throw problem('validation_error', { message: `${msg}.`, detail: [{ loc, msg, type: 'value_error' }] })
  }
  const kept = await callerUrls.read(body, loc, (bytes) => toTempFile(bytes, tempFiles))
  return {
    name: nameIn(url),
    type: sniffType(kept.head.subarray(0, HEAD_BYTES)),
    size: kept.length,
    pages: null,
    read: kept.read,
    bytes: countedBytes(kept, asking),
  }
}

/** All bytes of a file, which are counted before they are read, and once for all who read it. */
export function countedBytes(
  file: Pick<TempBytes, 'length' | 'read'>,
  { memory, signal }: Partial<Pick<Asking, 'memory' | 'signal'>>,
): () => Promise<Uint8Array> {
  return async () => {
    if (file.length > UNCOUNTED_BYTES) await memory?.holdOnce(file, file.length * COPIES_OF_FILE, signal)
    return await loaded(file)
  }
}

function nameIn(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) || 'file'
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
