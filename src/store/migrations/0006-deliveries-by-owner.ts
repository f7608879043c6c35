import type { Migration } from '../migrations.ts'

/** Webhooks are claimed from owner to owner where one has too many on their way. */
export const deliveriesByOwner: Migration = {
  number: 6,
  statements: [
    "CREATE INDEX deliveries_pending_by_owner ON deliveries (owner, next_at, id, receiver) WHERE state = 'pending'",
  ],
}
