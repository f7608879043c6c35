// Tables with content of callers. Each has the column `owner`: the id of a project, or of a key of a project whose keys do not
// share.

const OWNED_TABLES = ['files', 'jobs', 'collections', 'conversations'] as const

/** Everyone who may own content of the project $1, also through keys that were revoked or that shared in another way. */
export const OWNERS_OF_PROJECT = `SELECT CAST($1 AS TEXT) AS owner UNION SELECT id FROM keys WHERE project = $1
  UNION SELECT owner FROM keys WHERE project = $1`

/** A condition: the project $1 has stored nothing. */
export const HAS_NO_CONTENT = noContentOf(OWNERS_OF_PROJECT)

/** A condition: none of the owners that the query yields has stored anything. */
export function noContentOf(owners: string): string {
  return OWNED_TABLES.map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE owner IN (${owners}))`).join(' AND ')
}
