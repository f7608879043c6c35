import type { Migration } from '../migration.ts'

/**
 * The networks that may use a key, and the secrets that a key had before its rotations. A former secret opens the key until
 * its time is over. Whoever writes one also updates the row of its key, so that the change is noticed (see 0008).
 */
export const migration: Migration = {
  statements: [
    'ALTER TABLE keys ADD COLUMN allowed_ips TEXT',
    `CREATE TABLE former_secrets (
      digest TEXT PRIMARY KEY,
      key_id TEXT NOT NULL,
      valid_until BIGINT NOT NULL
    )`,
    'CREATE INDEX former_secrets_by_key ON former_secrets (key_id)',
  ],
}
