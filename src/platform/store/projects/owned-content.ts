/** Tables with content of callers. Each has the columns of the owner (platform/store/owner.ts). */
const OWNED_TABLES = ['files', 'jobs', 'batches', 'collections', 'conversations'] as const

/** What goes along if the project of its owner changes. */
export const MOVED_TABLES = [...OWNED_TABLES, 'deliveries'] as const

/** A condition: nothing is stored that this condition on the columns of the owner is true for. */
export function noContent(where: string): string {
  return OWNED_TABLES.map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${where})`).join(' AND ')
}
