import { type Page, readCursor, toPage } from '../cursor.ts'
import type { Database, Statement, Value } from '../database.ts'

/** An identity with the e-mail address of an account or an invitation here, while the word of its provider is not enough to link both. */
export type IdentityLink = {
  id: string
  issuer: string
  subject: string
  email: string
  name: string
  createdAt: number
  /** Since when an admin vouches for it. */
  confirmedAt: number | null
}

const COLUMNS = 'id, issuer, subject, email, name, created_at AS "createdAt", confirmed_at AS "confirmedAt"'
/** Who signs in again and again takes one place; more people than this do not wait at once. */
const MAX_WAITING = 1_000

/** A changed e-mail address has to be confirmed again. */
export function linkRequest({ id, issuer, subject, email, name }: Omit<IdentityLink, 'createdAt' | 'confirmedAt'>) {
  const insertion: Statement = {
    sql: `INSERT INTO identity_links (id, issuer, subject, email, name, created_at) VALUES ($1, $2, $3, $4, $5, now_ms())
      ON CONFLICT (issuer, subject) DO UPDATE SET name = $5, email = $4,
        confirmed_at = CASE WHEN identity_links.email = $4 THEN identity_links.confirmed_at ELSE NULL END`,
    values: [id, issuer, subject, email, name],
  }
  const oldest: Statement = {
    sql: `DELETE FROM identity_links WHERE id IN (
      SELECT id FROM identity_links ORDER BY created_at DESC, id DESC LIMIT 1000 OFFSET ${MAX_WAITING})`,
  }
  return [insertion, oldest]
}

/** When an admin vouched for it, in milliseconds; undefined if none did. */
export async function confirmationOf(
  db: Database,
  { issuer, subject, email }: { issuer: string; subject: string; email: string },
): Promise<number | undefined> {
  const sql = `SELECT confirmed_at AS "confirmedAt" FROM identity_links WHERE issuer = $1 AND subject = $2 AND email = $3`
  const [found] = await db.query<Pick<IdentityLink, 'confirmedAt'>>(sql, [issuer, subject, email])
  return found?.confirmedAt ?? undefined
}

export async function findIdentityLink(db: Database, id: string): Promise<IdentityLink | undefined> {
  return (await db.query<IdentityLink>(`SELECT ${COLUMNS} FROM identity_links WHERE id = $1`, [id]))[0]
}

export function linkConfirmation(id: string, now: number): Statement {
  return { sql: 'UPDATE identity_links SET confirmed_at = $2 WHERE id = $1', values: [id, now], required: true }
}

export function linkDeletion(id: string): Statement {
  return { sql: 'DELETE FROM identity_links WHERE id = $1', values: [id], required: true }
}

/** After the sign-in that it was for. */
export function linkUse(issuer: string, subject: string): Statement {
  return { sql: 'DELETE FROM identity_links WHERE issuer = $1 AND subject = $2', values: [issuer, subject] }
}

/** Newest first. */
export async function listIdentityLinks(
  db: Database,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<IdentityLink>> {
  const values: Value[] = [limit + 1, ...(cursor === undefined ? [] : readCursor(cursor))]
  const where = cursor === undefined ? '' : 'WHERE (created_at, id) < ($2, $3)'
  const sql = `SELECT ${COLUMNS} FROM identity_links ${where} ORDER BY created_at DESC, id DESC LIMIT $1`
  return toPage(await db.query<IdentityLink>(sql, values), limit)
}
