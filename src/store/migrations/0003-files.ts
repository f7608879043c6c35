import type { Migration } from '../migration.ts'

export const migration: Migration = {
  statements: [
    `CREATE TABLE files (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      name TEXT NOT NULL,
      size BIGINT NOT NULL,
      type TEXT NOT NULL,
      purpose TEXT NOT NULL,
      metadata TEXT NOT NULL,
      origin TEXT NOT NULL CHECK (origin IN ('upload', 'result')),
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL
    )`,
    'CREATE INDEX files_by_owner ON files (owner, created_at, id)',
    'CREATE INDEX files_by_expiry ON files (expires_at)',
    // Values on which all processes of an installation must agree.
    'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
  ],
}
