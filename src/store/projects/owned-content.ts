import type { Database } from '../database.ts'
import { isApartIn } from '../people/content-owners.ts'

// Tables with content of callers. Each has the column `owner`: the id of a project, or of a key of a project whose keys do not
// share, or what stands for a caller there that is no key of the store (`ownerApart`).

const OWNED_TABLES = ['files', 'jobs', 'collections', 'conversations'] as const

/** Everyone who may own content of the project $1, also through keys that were revoked or that shared in another way. */
export function ownersOfProject(kind: Database['kind']): string {
  const apart = [...OWNED_TABLES, 'deliveries'].map(
    (table) => `SELECT owner FROM ${table} WHERE ${isApartIn('$1', kind)}`,
  )
  return `SELECT CAST($1 AS TEXT) AS owner UNION SELECT id FROM keys WHERE project = $1
    UNION SELECT owner FROM keys WHERE project = $1 UNION ${apart.join(' UNION ')}`
}

/** A condition: none of the owners that the query yields has stored anything. */
export function noContentOf(owners: string): string {
  return OWNED_TABLES.map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE owner IN (${owners}))`).join(' AND ')
}
