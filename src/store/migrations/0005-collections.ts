import type { Migration } from '../migration.ts'

/** Records which owner has a collection and what is in it, because a provider's own list does not know our callers. */
export const migration: Migration = {
  statements: [
    `CREATE TABLE collections (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      kind TEXT NOT NULL,
      model TEXT NOT NULL,
      provider TEXT NOT NULL,
      name TEXT,
      created_at BIGINT NOT NULL
    )`,
    'CREATE INDEX collections_by_owner ON collections (owner, kind, created_at, id)',
    `CREATE TABLE collection_items (
      collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (collection_id, id)
    )`,
  ],
}
