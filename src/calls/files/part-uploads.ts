import { createHash } from 'node:crypto'
import { isRecord } from '../../base/schema/record.ts'
import { HOUR_MS } from '../../base/units/units.ts'
import { problem } from '../../contract/problems.ts'
import {
  cancelUpload,
  completeUpload,
  countOpenUploads,
  findOpenUpload,
  listParts,
} from '../../platform/store/file-parts.ts'
import { insertFile, type StoredFile } from '../../platform/store/files.ts'
import { type Owner, ownerOf } from '../../platform/store/owner.ts'
import { discardBytes, type FileServices, getUpload, readBytes, register, store, type StoredBytes } from './files.ts'
import { tooMuchStored } from './storage-quota.ts'

// Files that arrive in parts, each with a request of its own. OpenAI gives them an hour.

const LIFETIME_MS = HOUR_MS
/** Of one owner. */
const MAX_OPEN = 100
const MAX_PARTS = 1_000

/** `lifetimeMs`: of the file. `file`: the one that the parts became. `permission`: what the address of the upload carries. */
type Plan = { bytes: number; type: string; lifetimeMs: number; file?: string; permission?: string }
export type OpenUpload = StoredFile & { plan: Plan }

/** `atMostMs`: how long the permission lasts that the address of the upload carries. */
type Wanted = { name: string; purpose: string; atMostMs?: number } & Omit<Plan, 'file'>

export async function openUpload(
  { name, purpose, atMostMs = LIFETIME_MS, ...plan }: Wanted,
  owner: Owner,
  files: FileServices,
): Promise<OpenUpload> {
  if (plan.bytes > files.maxFileBytes) {
    const message = `A file may have at most ${files.maxFileBytes} bytes here.`
    throw problem('too_large', { message, param: 'bytes' })
  }
  if ((await countOpenUploads(files.db, owner.owner)) >= MAX_OPEN)
    throw problem('conflict', {
      message: `There are ${MAX_OPEN} uploads in parts already. Complete or cancel some first.`,
    })
  const row = { name, purpose, size: 0, type: plan.type, metadata: JSON.stringify(plan), origin: 'open' as const }
  const lifetimeMs = Math.min(LIFETIME_MS, atMostMs)
  const fixed = { ...ownerOf(owner), id: files.newId(), lifetimeMs }
  const stored = await insertFile(files.db, { ...fixed, ...row }, files.quotaBytes)
  if (!stored) throw tooMuchStored(files.quotaBytes)
  return { ...stored, plan }
}

export async function findUpload(id: string, owner: string, { db }: FileServices): Promise<OpenUpload> {
  const found = await findOpenUpload(db, owner, id)
  if (!found) throw problem('not_found', { message: 'There is no such upload, or it has expired.' })
  return withPlan(found)
}

export function withPlan(upload: StoredFile): OpenUpload {
  return { ...upload, plan: planIn(upload) }
}

function planIn({ metadata }: StoredFile): Plan {
  const plan: unknown = JSON.parse(metadata)
  if (!isRecord(plan)) throw new Error('An upload without a plan is stored.')
  const { bytes, type, lifetimeMs, file, permission } = plan
  return {
    bytes: Number(bytes),
    type: String(type),
    lifetimeMs: Number(lifetimeMs),
    ...(file != null && { file: String(file) }),
    ...(permission != null && { permission: String(permission) }),
  }
}

/** `offset`: where the part begins, in formats whose parts follow each other. */
export async function addPart(
  stored: StoredBytes,
  upload: OpenUpload,
  files: FileServices,
  offset?: number,
): Promise<StoredFile> {
  try {
    demandOpen(upload)
    const parts = await listParts(files.db, upload.owner, upload.id)
    const received = offset === undefined ? sizeOf(parts) : sizeOf(following(parts))
    if (stored.size === 0) throw refused('A part needs at least one byte.')
    if (offset !== undefined && offset !== received) throw notAt(received)
    if (received + stored.size > upload.plan.bytes) throw refused('The parts have more bytes than the upload named.')
    if (parts.length >= MAX_PARTS) throw refused(`An upload may have at most ${MAX_PARTS} parts.`)
  } catch (error) {
    await discardBytes(stored, files)
    throw error
  }
  const { purpose, id: uploadId } = upload
  const name = offset === undefined ? upload.name : String(offset)
  const lifetimeMs = Math.max(1, upload.expiresAt - upload.createdAt)
  const fixed = { ...ownerOf(upload), name, purpose, origin: 'part' as const, lifetimeMs, endUser: null, uploadId }
  return await register(stored, fixed, files)
}

/** What has arrived from the first byte on. */
export async function arrivedParts(
  { id, owner }: OpenUpload,
  { db }: FileServices,
): Promise<{ ids: string[]; bytes: number }> {
  const parts = following(await listParts(db, owner, id))
  return { ids: parts.map((part) => part.id), bytes: sizeOf(parts) }
}

/** The parts in their order, by the names that `addPart` gave them. A part that was sent twice at once is there twice. */
function following(parts: readonly StoredFile[]): StoredFile[] {
  const byOffset = new Map(parts.map((part) => [part.name, part]))
  const found: StoredFile[] = []
  let end = 0
  for (let next = byOffset.get('0'); next; next = byOffset.get(String(end))) {
    found.push(next)
    end += next.size
  }
  return found
}

function sizeOf(parts: readonly StoredFile[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0)
}

/** Asking again returns the same file, because the client may not have seen the first answer. */
export async function complete(
  upload: OpenUpload,
  { parts: ids, md5 }: { parts: readonly string[]; md5: string | undefined },
  files: FileServices,
): Promise<StoredFile> {
  if (upload.plan.file !== undefined) return await getUpload(upload.plan.file, upload.owner, files)
  const known = new Map((await listParts(files.db, upload.owner, upload.id)).map((part) => [part.id, part]))
  const parts = [...new Set(ids)].flatMap((id) => known.get(id) ?? [])
  if (parts.length !== ids.length) throw refused('`part_ids` names a part twice, or one that does not exist.')
  const total = sizeOf(parts)
  if (total !== upload.plan.bytes)
    throw refused(`The parts have ${total} bytes, and the upload named ${upload.plan.bytes}.`)
  const hash = createHash('md5')
  const stored = await store(joined(parts, hash, files), upload.owner, files)
  const digest = hash.digest('hex')
  if (md5 !== undefined && md5.toLowerCase() !== digest) {
    await discardBytes(stored, files)
    throw refused('The MD5 checksum does not match the bytes.')
  }
  const { name, purpose, plan } = upload
  const { lifetimeMs } = plan
  const fixed = { ...ownerOf(upload), name, purpose, origin: 'upload' as const, lifetimeMs, endUser: null }
  let gone: readonly string[] = []
  const registered = await register(stored, fixed, files, async (file) => {
    const metadata = JSON.stringify({ ...plan, file: file.id })
    const done = await completeUpload(files.db, upload, file, { metadata, quotaBytes: files.quotaBytes })
    gone = done?.parts ?? []
    return done?.stored
  })
  await Promise.all(gone.map((id) => files.blobs.delete(id)))
  return registered
}

export async function cancel(upload: OpenUpload, files: FileServices): Promise<void> {
  demandOpen(upload)
  const gone = await cancelUpload(files.db, upload)
  if (gone.length === 0) throw refused('The upload is complete.')
  await Promise.all(gone.filter((id) => id !== upload.id).map((id) => files.blobs.delete(id)))
}

function demandOpen({ plan }: OpenUpload): void {
  if (plan.file !== undefined) throw refused('The upload is complete.')
}

/** Nothing is lost: the client asks how much has arrived, and goes on from there. */
export function notAt(received: number) {
  const headers = { 'x-goog-upload-status': 'active', 'x-goog-upload-size-received': String(received) }
  const message = `${received} bytes have arrived, and the next part has to begin there.`
  return problem('conflict', { message, status: 400, headers })
}

function refused(message: string) {
  return problem('conflict', { message, status: 400 })
}

async function* joined(parts: readonly StoredFile[], hash: ReturnType<typeof createHash>, files: FileServices) {
  for (const part of parts)
    for await (const chunk of await readBytes(part, files)) {
      hash.update(chunk)
      yield chunk
    }
}
