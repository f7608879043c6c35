import type { Statement } from '../database.ts'

/** Holds the organization until the end of the transaction, so that no project joins it while it is deleted. */
export function holdOrganization(id: string): Statement {
  return { sql: 'UPDATE organizations SET name = name WHERE id = $1', values: [id] }
}
