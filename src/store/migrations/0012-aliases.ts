import type { Migration } from '../migration.ts'

/**
 * Aliases that were made through the admin API. The number of their version grows with every change, so that a process has to
 * read only that number to learn that nothing has changed.
 */
export const migration: Migration = {
  statements: [
    `CREATE TABLE aliases (
      name TEXT PRIMARY KEY,
      settings TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    )`,
    'CREATE TABLE alias_versions (version BIGINT NOT NULL)',
    'INSERT INTO alias_versions (version) VALUES (0)',
  ],
}
