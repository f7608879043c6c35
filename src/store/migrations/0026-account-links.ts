import type { Migration } from '../migration.ts'

/** Links with which people open accounts that exist and have no way in yet, such as those of an import. Each account has one. */
export const migration: Migration = {
  statements: [
    `CREATE TABLE account_links (
      user_id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      made_by TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL
    )`,
  ],
}
