import type { Migration } from '../migration.ts'

/** Deliveries are counted by owner and receiver, and claimed from owner to owner if one owner has too many in flight. */
export const migration: Migration = {
  statements: [
    'DROP INDEX deliveries_due',
    "CREATE INDEX deliveries_due ON deliveries (next_at, id, owner, receiver) WHERE state = 'pending'",
    "CREATE INDEX deliveries_pending_by_owner ON deliveries (owner, next_at, id, receiver) WHERE state = 'pending'",
  ],
}
