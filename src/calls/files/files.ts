import type { BlobStore, WrittenBlob } from '../../platform/blobs/blob-store.ts'
import { imageSize } from '../../base/sniff/image-size.ts'
import { pdfPages } from '../../base/sniff/pdf-pages.ts'
import { sniffType } from '../../base/sniff/sniff-type.ts'
import type { FileList, OpenAIFile, UploadedFile } from '../../contract/files.ts'
import type { AnthropicFile } from '../../contract/anthropic-files.ts'
import type { GeminiFile } from '../../contract/gemini/files.ts'
import { problem } from '../../contract/problems.ts'
import type { Database } from '../../platform/store/database.ts'
import {
  deleteExpired,
  deleteFiles,
  findFile,
  findFiles,
  findRead,
  insertFile,
  type FileQuery,
  listFiles,
  listFilesAfter,
  type NewFile,
  type StoredFile,
} from '../../platform/store/files.ts'
import { type Owner, ownerOf } from '../../platform/store/owner.ts'
import { storedBytesOf } from '../../platform/store/owner-scans.ts'
import type { Arrival, ArrivingBytes } from './arriving-bytes.ts'
import { tooMuchStored } from './storage-quota.ts'
import { isResourceId, withoutDashes } from '../../base/schema/resource-id.ts'
import { DAY_MS } from '../../base/units/units.ts'

// Files of callers, and files that tasks produced. A file is bytes in `blobs` and a row in `store`. The row is written last
// and removed first, so that there is never a row without its bytes.

const SWEEP_BATCH = 200
const SWEEP_ROUNDS = 20
const MAX_NAME_CHARS = 255
/** How many files of an owner may arrive beyond its quota, and be refused only when they are complete. */
const FILES_BEYOND_QUOTA = 16

export type FileServices = {
  db: Database
  blobs: BlobStore
  newId(): string
  maxFileBytes: number
  quotaBytes: number
  /** How long a file that a task produced is kept. */
  resultDays: number
  arriving: ArrivingBytes
}

/** Bytes that are stored but do not belong to a file yet. */
export type StoredBytes = WrittenBlob & { id: string; arrival: Arrival }

/** Stores the bytes of an upload as they arrive. The form's other fields may follow after them. */
export async function receiveBytes(
  bytes: AsyncIterable<Uint8Array>,
  owner: string,
  files: FileServices,
): Promise<StoredBytes> {
  const used = await storedBytesOf(files.db, owner)
  if (used >= files.quotaBytes) throw tooMuchStored(files.quotaBytes)
  return await store(bytes, owner, files, used)
}

/** `endUser`: whom the file is about. */
export type UploadSettings = { name: string; purpose: string; lifetimeMs: number; endUser: string | null }

export async function fileUpload(
  stored: StoredBytes,
  settings: UploadSettings,
  owner: Owner,
  files: FileServices,
): Promise<UploadedFile> {
  const fixed = { ...ownerOf(owner), ...settings, origin: 'upload' as const }
  return toUploadedFile(await register(stored, fixed, files))
}

export async function discardBytes({ id, arrival }: StoredBytes, { blobs, arriving }: FileServices): Promise<void> {
  arriving.ended(arrival)
  await blobs.delete(id)
}

/** Stores a file that a task produced. */
export async function keepResult(
  file: { name: string; bytes: Uint8Array | AsyncIterable<Uint8Array>; endUser?: string | null },
  owner: Owner,
  files: FileServices,
): Promise<StoredFile> {
  const { name, bytes, endUser = null } = file
  const lifetimeMs = files.resultDays * DAY_MS
  const fixed = { ...ownerOf(owner), name, endUser, purpose: 'result', origin: 'result' as const, lifetimeMs }
  const stored = await store(bytes instanceof Uint8Array ? once(bytes) : bytes, owner.owner, files)
  return await register(stored, fixed, files)
}

export async function listUploads(
  query: { owner: string; purpose?: string | undefined; page: number; limit: number },
  { db }: FileServices,
): Promise<FileList> {
  const { files, total } = await listFiles(db, query)
  const { page, limit } = query
  return { items: files.map(toUploadedFile), total, page, limit, total_pages: Math.ceil(total / limit) }
}

/** A page of files behind one of them. A file that has expired in the meantime is unknown. */
export async function listUploadsAfter(
  after: string | undefined,
  query: FileQuery,
  files: FileServices,
): Promise<{ files: StoredFile[]; hasMore: boolean }> {
  const last = after === undefined ? undefined : await getUpload(after, query.owner, files)
  const found = await listFilesAfter(files.db, { ...query, limit: query.limit + 1 }, last)
  return { files: found.slice(0, query.limit), hasMore: found.length > query.limit }
}

export async function getUpload(id: string, owner: string, { db }: FileServices): Promise<StoredFile> {
  const file = isResourceId(id) ? await findFile(db, owner, id) : undefined
  if (!file) throw noFile()
  return file
}

/** Those of the files that exist. */
export async function findUploads(ids: readonly string[], owner: string, { db }: FileServices): Promise<StoredFile[]> {
  const known = [...new Set(ids)].filter(isResourceId)
  return known.length === 0 ? [] : await findFiles(db, owner, known)
}

function noFile() {
  return problem('not_found', { message: 'There is no such file.' })
}

export async function readBytes(
  { id, owner }: Pick<StoredFile, 'id' | 'owner'>,
  { blobs }: FileServices,
): Promise<AsyncIterable<Uint8Array>> {
  const bytes = await blobs.read(id, undefined, owner)
  if (!bytes) throw noFile()
  return bytes
}

export async function deleteUpload(id: string, owner: string, files: FileServices): Promise<void> {
  if ((await deleteUploads([id], owner, files)) === 0) throw noFile()
}

/** All files but those that batches still read, or these files, if no batch reads any of them. */
export async function deleteUploads(
  ids: readonly string[] | 'all',
  owner: string,
  files: FileServices,
): Promise<number> {
  if (ids !== 'all') await demandUnread(ids, owner, files)
  const gone = await deleteFiles(files.db, owner, ids)
  await Promise.all(gone.map((id) => files.blobs.delete(id)))
  return gone.length
}

/** What providers have answered cannot be booked without the requests. */
async function demandUnread(ids: readonly string[], owner: string, { db }: FileServices): Promise<void> {
  const [read] = await findRead(db, owner, ids)
  if (read === undefined) return
  const message = `The file ${read} is the input of a batch that has not ended. Cancel the batch, or delete the file when it has ended.`
  throw problem('conflict', { message })
}

/** Removes expired files. It works in batches, so that calls do not wait long for the database, and stops after some of them. */
export async function sweepFiles(files: FileServices): Promise<void> {
  for (let round = 0; round < SWEEP_ROUNDS; round++) {
    const gone = await deleteExpired(files.db, SWEEP_BATCH)
    await Promise.all(gone.map((id) => files.blobs.delete(id)))
    if (gone.length < SWEEP_BATCH) return
  }
}

export function toUploadedFile(file: StoredFile): UploadedFile {
  return {
    file_id: file.id,
    file_name: file.name,
    file_size: file.size,
    file_mimetype: file.type,
    purpose: file.purpose,
    metadata: JSON.parse(file.metadata),
    created_at: new Date(file.createdAt).toISOString(),
    expires_at: new Date(file.expiresAt).toISOString(),
  }
}

/** A file as clients of Anthropic know it. */
export function toAnthropicFile({ id, name, size, type, createdAt, expiresAt }: StoredFile): AnthropicFile {
  return {
    id,
    type: 'file',
    filename: name,
    mime_type: type,
    size_bytes: size,
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    downloadable: true,
  }
}

/** A file as clients of Google know it. They read its name from its address, and would cut it off at a dash. */
export function toGeminiFile(file: StoredFile, baseUrl: string): GeminiFile {
  const name = `files/${withoutDashes(file.id)}`
  const created = new Date(file.createdAt).toISOString()
  return {
    name,
    displayName: file.name,
    mimeType: file.type,
    sizeBytes: String(file.size),
    createTime: created,
    updateTime: created,
    expirationTime: new Date(file.expiresAt).toISOString(),
    ...(file.sha256 !== null && { sha256Hash: Buffer.from(file.sha256, 'hex').toString('base64') }),
    uri: `${baseUrl}/v3/v1beta/${name}`,
    state: 'ACTIVE',
    source: 'UPLOADED',
  }
}

/** A file as clients of OpenAI know it, with the members that those of Mistral expect, too. */
export function toOpenAIFile({ id, name, size, type, purpose, createdAt, expiresAt }: StoredFile): OpenAIFile {
  return {
    id,
    object: 'file',
    bytes: size,
    created_at: Math.floor(createdAt / 1000),
    expires_at: Math.floor(expiresAt / 1000),
    filename: name,
    purpose,
    status: 'processed',
    status_details: null,
    mimetype: type,
    source: 'upload',
    sample_type: 'none',
    num_lines: null,
    deleted: false,
  }
}

type Fixed = Owner & Pick<NewFile, 'name' | 'purpose' | 'origin' | 'lifetimeMs' | 'endUser' | 'uploadId'>

/** Limits the arriving bytes of an owner, however many uploads run at the same time. */
export async function store(
  bytes: AsyncIterable<Uint8Array>,
  owner: string,
  files: FileServices,
  used = 0,
): Promise<StoredBytes> {
  const { blobs, arriving, maxFileBytes, quotaBytes } = files
  const id = files.newId()
  const check = (size: number) => {
    if (used + size > quotaBytes + FILES_BEYOND_QUOTA * maxFileBytes) throw tooMuchStored(files.quotaBytes)
  }
  const arrival: Arrival = { owner, size: 0, check }
  try {
    const written = await blobs.write(id, arriving.counted(bytes, arrival), { maxBytes: maxFileBytes, owner })
    return { id, arrival, ...written }
  } catch (error) {
    arriving.ended(arrival)
    throw error
  }
}

/** `insert`: writes the row, or returns undefined if it does not fit. */
export async function register(
  stored: StoredBytes,
  fixed: Fixed,
  files: FileServices,
  insert = (file: NewFile) => insertFile(files.db, file, files.quotaBytes),
): Promise<StoredFile> {
  const { id, size, head, sha256 } = stored
  try {
    const type = sniffType(head)
    const metadata = JSON.stringify(await findings({ id, owner: fixed.owner }, type, head, files))
    const file = { ...fixed, id, name: safeName(fixed.name), size, type, sha256, metadata }
    const registered = await insert(file)
    if (!registered) throw tooMuchStored(files.quotaBytes)
    files.arriving.ended(stored.arrival)
    return registered
  } catch (error) {
    await discardBytes(stored, files)
    throw error
  }
}

/** Metadata for the list of files: the pages of a PDF, the size of an image in pixels. */
async function findings(
  { id, owner }: Pick<StoredFile, 'id' | 'owner'>,
  type: string,
  head: Uint8Array,
  { blobs }: FileServices,
): Promise<Record<string, unknown>> {
  if (type.startsWith('image/')) {
    const size = imageSize(head)
    return size ? { dimensions: `${size.width}x${size.height}` } : {}
  }
  if (type !== 'application/pdf') return {}
  const bytes = await blobs.read(id, undefined, owner)
  const pages = bytes && (await pdfPages(bytes))
  return typeof pages === 'number' ? { page_count: pages } : {}
}

/** The last part of a path, because some clients send whole paths. It is shown and sent in a header, never used as a path. */
function safeName(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const printable = base
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .replace(/^\.{1,2}$/, '')
  // The cut may split a surrogate pair, and half of one is not a character.
  return printable.slice(0, MAX_NAME_CHARS).replace(/\p{Cs}$/u, '') || 'file'
}

async function* once(bytes: Uint8Array) {
  yield bytes
}
