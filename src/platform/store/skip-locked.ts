import type { Database } from './database.ts'

/**
 * Ends a SELECT that picks rows to claim. PostgreSQL runs claims concurrently, and each skips the rows that another has
 * picked but not yet committed. SQLite has one writer at a time and no such clause.
 */
export function skipLocked(db: Database): string {
  return db.kind === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : ''
}
