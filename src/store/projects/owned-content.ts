import { hash } from 'node:crypto'
import type { Database } from '../database.ts'

// Tables with content of callers. Each has the column `owner`: the id of a project, or of a key of a project whose keys do not
// share, or what stands for a caller there that is no key of the store (`ownerApart`).

const OWNED_TABLES = ['files', 'jobs', 'collections', 'conversations'] as const
const DIGEST_CHARS = 32
const APART = 'apart-'
/** Where the id of the project begins, counted from 1, with the sign before it. */
const PROJECT_AT = APART.length + DIGEST_CHARS + 1

/**
 * The owner of what a caller without a key in the store (a token of an issuer, the playground) keeps for itself. It names the
 * project, so that the content ends with the project, and is not seen in another one.
 */
export function ownerApart(keyId: string, project: string): string {
  return `${APART}${hash('sha256', keyId).slice(0, DIGEST_CHARS)}@${project}`
}

/** Everyone who may own content of the project $1, also through keys that were revoked or that shared in another way. */
export function ownersOfProject(kind: Database['kind']): string {
  const begins = kind === 'postgres' ? `owner LIKE '${APART}%'` : `owner GLOB '${APART}*'`
  const apart = [...OWNED_TABLES, 'deliveries'].map(
    (table) => `SELECT owner FROM ${table} WHERE ${begins} AND substr(owner, ${PROJECT_AT}) = '@' || CAST($1 AS TEXT)`,
  )
  return `SELECT CAST($1 AS TEXT) AS owner UNION SELECT id FROM keys WHERE project = $1
    UNION SELECT owner FROM keys WHERE project = $1 UNION ${apart.join(' UNION ')}`
}

/** A condition: none of the owners that the query yields has stored anything. */
export function noContentOf(owners: string): string {
  return OWNED_TABLES.map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE owner IN (${owners}))`).join(' AND ')
}
