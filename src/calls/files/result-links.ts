import { createHmac, timingSafeEqual } from 'node:crypto'
import { problem } from '../../contract/problems.ts'
import type { Database } from '../../platform/store/database.ts'
import { findLinkedUpload } from '../../platform/store/file-parts.ts'
import { findResult, type StoredFile } from '../../platform/store/files.ts'
import type { Opened } from '../../platform/late.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'

// A link to a result file works without a key until it expires, because it is passed on to browsers and webhooks. So does the
// address of an upload, to which clients of Google send the bytes without a key.

/** The secret is in the store, so it is undefined while the store has not been reachable since the start of the process. */
export type ResultLinks = { db: Database; now(): number; secret: Opened<string>; base(): string }

export function linkTo({ id, expiresAt }: StoredFile, links: ResultLinks): string {
  return `${links.base()}/results/${id}?expires=${expiresAt}&signature=${sign(id, String(expiresAt), links)}`
}

/** A wrong signature, an expired link and a deleted file get the same answer. */
export async function openLink(
  id: string,
  expires: string,
  signature: string,
  links: ResultLinks,
): Promise<StoredFile> {
  const file = isValid(id, sign(id, expires, links), { expires, signature, links })
    ? await findResult(links.db, id)
    : undefined
  if (!file) throw invalid()
  return file
}

export function linkToUpload({ id, expiresAt }: StoredFile, base: string, links: ResultLinks): string {
  return `${base}/uploads/${id}?expires=${expiresAt}&signature=${sign(`upload ${id}`, String(expiresAt), links)}`
}

export async function openUploadLink(
  id: string,
  expires: string,
  signature: string,
  links: ResultLinks,
): Promise<StoredFile> {
  const upload = isValid(id, sign(`upload ${id}`, expires, links), { expires, signature, links })
    ? await findLinkedUpload(links.db, id)
    : undefined
  if (!upload) throw invalid()
  return upload
}

type Presented = { expires: string; signature: string; links: ResultLinks }

function isValid(id: string, expected: string, { expires, signature, links }: Presented): boolean {
  return isResourceId(id) && Number(expires) > links.now() && isEqual(expected, signature)
}

function invalid() {
  return problem('not_found', { message: 'This link is not valid, or has expired.' })
}

function sign(id: string, expires: string, links: ResultLinks): string {
  const secret = links.secret.current
  if (secret === undefined) throw problem('unavailable', { retryAfterSeconds: 1 })
  return createHmac('sha256', secret).update(`${id} ${expires}`).digest('hex')
}

/** Compares bytes, because strings of the same length may have different numbers of bytes. */
function isEqual(expected: string, value: string): boolean {
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(value)]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}
