import type { Migration } from '../migration.ts'

/**
 * What was used of a rate, in slots of a sixtieth of its window; a slot counts until `ends_at`, one window after its last use.
 * A lease says itself how long it lasts, and for how long after its end it counts as taken. `called_at` is when another process
 * asked its holder to give back what no call uses; until `lean_until`, the holder keeps nothing that no call uses.
 */
export const migration: Migration = {
  statements: [
    'DROP TABLE limit_rates',
    `CREATE TABLE limit_uses (
      limit_id TEXT NOT NULL,
      bucket TEXT NOT NULL,
      slot BIGINT NOT NULL,
      used BIGINT NOT NULL,
      ends_at BIGINT NOT NULL,
      PRIMARY KEY (limit_id, bucket, slot)
    )`,
    'CREATE INDEX limit_uses_end ON limit_uses (ends_at)',
    'ALTER TABLE limit_leases ADD COLUMN life_ms BIGINT NOT NULL DEFAULT 60000',
    'ALTER TABLE limit_leases ADD COLUMN counts_ms BIGINT NOT NULL DEFAULT 1000000000000000',
    'ALTER TABLE limit_leases ADD COLUMN called_at BIGINT',
    'ALTER TABLE limit_leases ADD COLUMN lean_until BIGINT NOT NULL DEFAULT 0',
    'CREATE INDEX limit_leases_called ON limit_leases (holder) WHERE called_at IS NOT NULL',
  ],
}
