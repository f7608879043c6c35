import { sniffType } from '../blobs/sniff/sniff-type.ts'
import { type Fault, problem } from '../contract/problems.ts'
import type { TaskFile } from '../features/feature.ts'
import { gather } from './gather.ts'
import { getUpload, isUuid, readBytes } from './files.ts'
import type { Outside } from './outside.ts'

// A file that a caller names: an upload of the same owner, or an address that is fetched through the egress guard.

const HEAD_BYTES = 64 * 1024
const FETCH_MS = 30_000

export type NamedFile = { reference: string; loc: Fault['loc']; owner: string; signal: AbortSignal }

export async function openReference({ reference, loc, owner, signal }: NamedFile, outside: Outside): Promise<TaskFile> {
  return isUuid(reference)
    ? await openUpload(reference, owner, outside)
    : await fetchFile(reference, loc, signal, outside)
}

async function openUpload(id: string, owner: string, { files }: Outside): Promise<TaskFile> {
  const { name, type, size, metadata } = await getUpload(id, owner, files)
  const { page_count: pages = null } = JSON.parse(metadata) as { page_count?: number }
  return { name, type, size, pages, bytes: async () => await gather(await readBytes(id, files)) }
}

async function fetchFile(
  url: string,
  loc: Fault['loc'],
  signal: AbortSignal,
  { egress, files }: Outside,
): Promise<TaskFile> {
  const { status, body } = await egress.get({ url, maxBytes: files.maxFileBytes, timeoutMs: FETCH_MS, signal }, loc)
  if (status !== 200) {
    await body[Symbol.asyncIterator]().return?.()
    const msg = `The address answered with status ${status}`
    throw problem('validation_error', { message: `${msg}.`, detail: [{ loc, msg, type: 'value_error' }] })
  }
  const bytes = await egress.read(body, loc)
  return {
    name: nameIn(url),
    type: sniffType(bytes.subarray(0, HEAD_BYTES)),
    size: bytes.length,
    pages: null,
    bytes: async () => bytes,
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
