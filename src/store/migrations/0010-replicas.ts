import type { Migration } from '../migration.ts'

/**
 * What the processes of one installation share: secrets, which are encrypted, and a row for each running process. A process
 * counts its beats, and others watch whether the number changes, so nobody compares clocks.
 */
export const migration: Migration = {
  statements: [
    `CREATE TABLE secrets (
      name TEXT PRIMARY KEY,
      sealed TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      version BIGINT NOT NULL
    )`,
    `CREATE TABLE processes (
      id TEXT PRIMARY KEY,
      number BIGINT NOT NULL,
      role TEXT NOT NULL,
      blobs TEXT NOT NULL,
      webhook_key TEXT NOT NULL,
      beats BIGINT NOT NULL,
      learned_number BIGINT NOT NULL,
      learned TEXT NOT NULL,
      config TEXT NOT NULL DEFAULT ''
    )`,
  ],
}
