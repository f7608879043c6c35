import type { Database } from './database.ts'

/**
 * Ends a SELECT that picks rows to claim. PostgreSQL runs claims side by side: each passes over the rows that another has
 * picked and not yet committed. SQLite has one writer at a time, and no such words.
 */
export function skipLocked(db: Database): string {
  return db.kind === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : ''
}
