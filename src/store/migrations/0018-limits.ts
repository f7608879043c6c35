import type { Migration } from '../migration.ts'

/**
 * Limits of the admin API, and what is spent of all limits. A window of a limit is a row of its own, so nothing is ever reset.
 * `spent` is the sum of the charges of ledger lines, and is written in their transaction; `forgiven` is what an operator took off.
 * A lease is what a process holds and may have used without a line yet: it counts as taken until its lines arrive, it is given
 * back, or an operator releases it after its process died.
 */
export const migration: Migration = {
  statements: [
    `CREATE TABLE limits (
      id TEXT PRIMARY KEY,
      settings TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    )`,
    'CREATE TABLE limit_versions (version BIGINT NOT NULL)',
    'INSERT INTO limit_versions (version) VALUES (0)',
    `CREATE TABLE limit_windows (
      limit_id TEXT NOT NULL,
      bucket TEXT NOT NULL,
      window_start BIGINT NOT NULL,
      spent BIGINT NOT NULL,
      forgiven BIGINT NOT NULL,
      changes BIGINT NOT NULL,
      PRIMARY KEY (limit_id, bucket, window_start)
    )`,
    'CREATE INDEX limit_windows_start ON limit_windows (window_start)',
    `CREATE TABLE limit_leases (
      limit_id TEXT NOT NULL,
      bucket TEXT NOT NULL,
      window_start BIGINT NOT NULL,
      holder TEXT NOT NULL,
      granted BIGINT NOT NULL,
      taken BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      PRIMARY KEY (limit_id, bucket, window_start, holder)
    )`,
    'CREATE INDEX limit_leases_holder ON limit_leases (holder)',
    `CREATE TABLE limit_rates (
      limit_id TEXT NOT NULL,
      bucket TEXT NOT NULL,
      next_at DOUBLE PRECISION NOT NULL,
      granted BIGINT NOT NULL,
      room DOUBLE PRECISION NOT NULL,
      PRIMARY KEY (limit_id, bucket)
    )`,
    'ALTER TABLE usage ADD COLUMN charges TEXT',
  ],
}
