import { createHmac, timingSafeEqual } from 'node:crypto'
import { problem } from '../../contract/problems.ts'
import type { Database } from '../../platform/store/database.ts'
import { findResult, type StoredFile } from '../../platform/store/files.ts'
import type { Opened } from '../../platform/late.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'

// A link to a result file works without a key until it expires, because it is passed on to browsers and webhooks.

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
  const valid = isResourceId(id) && Number(expires) > links.now() && isEqual(sign(id, expires, links), signature)
  const file = valid ? await findResult(links.db, id) : undefined
  if (!file) throw problem('not_found', { message: 'This link is not valid, or has expired.' })
  return file
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
