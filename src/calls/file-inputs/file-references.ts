import { sniffType } from '../../base/sniff/sniff-type.ts'
import { problem } from '../../contract/problems.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import type { OpenFile } from '../files/open-file.ts'
import { HEAD_BYTES } from '../../base/sniff/head-bytes.ts'
import type { CallFacts } from '../call.ts'
import { getUpload, readBytes } from '../files/files.ts'
import type { TempFiles } from '../files/temp-files.ts'
import { COPIES_OF_FILE, type MemoryLease, UNCOUNTED_BYTES } from '../memory-budget.ts'
import type { CallServices } from '../services/call-services.ts'
import type { DryRun } from '../attempts/plan.ts'
import { loaded, type TempBytes, toTempFile } from '../files/temp-file-writer.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'
import { typeOf } from '../../translation/tasks/http/file-kinds.ts'

// A file that a caller references: an upload of the same owner, or a URL that is fetched through the egress guard.

const FETCH_MS = 30_000
const MAX_FILES = 100

export type NamedFile = { reference: string; loc: ValidationIssue['loc'] }
/** The owner, signal and memory of a request, and its temp files. The code that opened these closes them after the files are used. */
export type FileAccess = { owner: string; signal: AbortSignal; memory?: MemoryLease | undefined; tempFiles: TempFiles }

export function fileAccessOf({ caller, signal, memory }: CallFacts, tempFiles: TempFiles): FileAccess {
  return { owner: caller.owner, signal, memory, tempFiles }
}

/** Opens all files of a request. Their total size is limited like that of one file, because all may be in memory at once. */
export async function openReferences(
  named: readonly NamedFile[],
  access: FileAccess,
  services: CallServices,
): Promise<OpenFile[]> {
  if (named.length > MAX_FILES)
    throw problem('too_large', { message: `A request may reference at most ${MAX_FILES} files.` })
  const { dryRun } = services
  if (dryRun) return await Promise.all(named.map((one) => nameFile(one, { access, dryRun, services })))
  let remainingBytes = services.files.maxFileBytes
  const files: OpenFile[] = []
  for (const one of named) {
    const file = await openReference(one, access, remainingBytes, services)
    remainingBytes -= file.size
    if (remainingBytes < 0) throw problem('too_large', { message: 'The files of this request are too large in total.' })
    files.push(file)
  }
  return files
}

const NOT_A_FILE = 'Input should be the id of an upload or an address'

type Naming = { access: FileAccess; dryRun: DryRun; services: CallServices }

/** A file that is named and not opened. Of an upload, the store knows the rest. */
async function nameFile({ reference, loc }: NamedFile, { access, dryRun, services }: Naming): Promise<OpenFile> {
  const upload = isResourceId(reference) ? await getUpload(reference, access.owner, services.files) : undefined
  if (!upload && !URL.canParse(reference)) throw validationProblemOf([{ loc, msg: NOT_A_FILE, type: 'value_error' }])
  const name = upload?.name ?? nameIn(reference)
  const type = upload?.type ?? typeOf(name.split('.').at(-1)!.toLowerCase())
  const bytes = dryRun.standIn({ reference, type, size: upload?.size })
  const { page_count: pages = null } = JSON.parse(upload?.metadata ?? '{}') as { page_count?: number }
  return { name, type, size: Math.max(bytes.length, upload?.size ?? 0), pages, read, bytes: async () => bytes }

  async function* read() {
    yield bytes
  }
}

async function openReference(
  { reference, loc }: NamedFile,
  access: FileAccess,
  maxBytes: number,
  services: Pick<CallServices, 'files' | 'callerUrls'>,
): Promise<OpenFile> {
  return isResourceId(reference)
    ? await openUpload(reference, access, services)
    : await fetchFile(reference, loc, { ...access, maxBytes }, services)
}

async function openUpload(id: string, access: FileAccess, { files }: Pick<CallServices, 'files'>): Promise<OpenFile> {
  const { name, type, size, metadata } = await getUpload(id, access.owner, files)
  const { page_count: pages = null } = JSON.parse(metadata) as { page_count?: number }
  return { name, type, size, pages, read, bytes: countedBytes({ length: size, read }, access) }

  async function* read() {
    yield* await readBytes({ id, owner: access.owner }, files)
  }
}

async function fetchFile(
  url: string,
  loc: ValidationIssue['loc'],
  { maxBytes, ...access }: FileAccess & { maxBytes: number },
  { callerUrls }: Pick<CallServices, 'callerUrls'>,
): Promise<OpenFile> {
  const { signal, tempFiles } = access
  const { status, body } = await callerUrls.get({ url, timeoutMs: FETCH_MS, maxBytes, signal }, loc)
  if (status !== 200) {
    await body[Symbol.asyncIterator]().return?.()
    const msg = `The address answered with status ${status}`
    throw problem('validation_error', { message: `${msg}.`, detail: [{ loc, msg, type: 'value_error' }] })
  }
  const tempFile = await callerUrls.read(body, loc, (bytes) => toTempFile(bytes, tempFiles))
  return {
    name: nameIn(url),
    type: sniffType(tempFile.head.subarray(0, HEAD_BYTES)),
    size: tempFile.length,
    pages: null,
    read: tempFile.read,
    bytes: countedBytes(tempFile, access),
  }
}

/** Reads all bytes of a file. They are counted before they are read, and once for all readers. */
export function countedBytes(
  file: Pick<TempBytes, 'length' | 'read'>,
  { memory, signal }: Partial<Pick<FileAccess, 'memory' | 'signal'>>,
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
