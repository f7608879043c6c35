import { createHmac, timingSafeEqual } from 'node:crypto'
import { problem } from '../contract/problems.ts'
import type { Database } from '../store/database.ts'
import { findResult, type StoredFile } from '../store/files.ts'
import { isBlobId } from '../blobs/blob-store.ts'

// A link to a file that a task produced works without a key until it expires: it is handed on to browsers and to webhooks.

export type ResultLinks = { db: Database; now(): number; secret: string; base(): string }

export function linkTo({ id, expiresAt }: StoredFile, links: ResultLinks): string {
  return `${links.base()}/results/${id}?expires=${expiresAt}&signature=${sign(id, String(expiresAt), links)}`
}

/** One answer for a wrong signature, an expired link and a file that is gone. */
export async function openLink(
  id: string,
  expires: string,
  signature: string,
  links: ResultLinks,
): Promise<StoredFile> {
  const valid = isBlobId(id) && Number(expires) > links.now() && isEqual(sign(id, expires, links), signature)
  const file = valid ? await findResult(links.db, id) : undefined
  if (!file) throw problem('not_found', { message: 'This link is not valid, or not any more.' })
  return file
}

function sign(id: string, expires: string, { secret }: ResultLinks): string {
  return createHmac('sha256', secret).update(`${id} ${expires}`).digest('hex')
}

/** Compared as bytes: as many characters may be more bytes. */
function isEqual(expected: string, value: string): boolean {
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(value)]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}
