import { ROLLUPS_TABLE, rollUpAllSql } from '../ledger/rollups.ts'
import type { Migration } from '../migration.ts'

// Money becomes whole billionths of a dollar. On PostgreSQL the ledger gets a partition for each month. Existing lines are
// rolled up here, in the transaction that creates the roll-ups, so that no report ever sees a part of them.

const COLUMNS = `
  id TEXT NOT NULL,
  at BIGINT NOT NULL,
  key_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  status BIGINT NOT NULL,
  code TEXT,
  stream BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  prompt_tokens BIGINT NOT NULL,
  cached_tokens BIGINT NOT NULL,
  cache_write_tokens BIGINT NOT NULL,
  completion_tokens BIGINT NOT NULL,
  reasoning_tokens BIGINT NOT NULL,
  cost_nanos BIGINT,
  estimated BIGINT NOT NULL,
  duration_ms BIGINT NOT NULL,
  first_token_ms BIGINT,
  more_tokens TEXT,
  price_version TEXT,
  provider_cost_nanos BIGINT,
  PRIMARY KEY (at, id)`

const KEPT = `id, at, key_id, owner, endpoint, model, provider, status, code, stream, attempts, prompt_tokens, cached_tokens,
  cache_write_tokens, completion_tokens, reasoning_tokens, estimated, duration_ms, first_token_ms, more_tokens, price_version`

/** A figure that is not a number, or too large to be true, counts as unknown. */
function nanos(column: string): string {
  return `CASE WHEN ${column} BETWEEN -1000000 AND 1000000 THEN CAST(ROUND(${column} * 1000000000) AS BIGINT) END`
}

function copyLines(from: string, to: string): string {
  return `INSERT INTO ${to} (${KEPT}, cost_nanos, provider_cost_nanos)
    SELECT ${KEPT}, ${nanos('cost')}, ${nanos('provider_cost')} FROM ${from}`
}

/** A partition for each month from the first line on, at most five years back, and for the next two months. */
const PARTITIONS = `DO $$
  DECLARE
    this_month DATE := date_trunc('month', now() AT TIME ZONE 'UTC');
    first_line DATE := (SELECT to_timestamp(min(at) / 1000.0) AT TIME ZONE 'UTC' FROM usage_before);
    month DATE := greatest(date_trunc('month', coalesce(first_line, this_month)), this_month - interval '5 years');
  BEGIN
    WHILE month <= this_month + interval '2 months' LOOP
      EXECUTE format('CREATE TABLE usage_%s PARTITION OF usage FOR VALUES FROM (%s) TO (%s)', to_char(month, 'YYYY_MM'),
        extract(epoch FROM month)::BIGINT * 1000, extract(epoch FROM month + interval '1 month')::BIGINT * 1000);
      month := month + interval '1 month';
    END LOOP;
  END $$`

export const migration: Migration = {
  postgresOnly: [
    'ALTER TABLE usage RENAME TO usage_before',
    'ALTER INDEX usage_pkey RENAME TO usage_before_pkey',
    `CREATE TABLE usage (${COLUMNS}) PARTITION BY RANGE (at)`,
    // Lines whose time is wrong, or whose month has no partition yet.
    'CREATE TABLE usage_other PARTITION OF usage DEFAULT',
    PARTITIONS,
    copyLines('usage_before', 'usage'),
    'DROP TABLE usage_before',
    ROLLUPS_TABLE,
  ],
  sqliteOnly: [
    `CREATE TABLE usage_after (${COLUMNS})`,
    copyLines('usage', 'usage_after'),
    'DROP TABLE usage',
    'ALTER TABLE usage_after RENAME TO usage',
    `${ROLLUPS_TABLE} WITHOUT ROWID`,
  ],
  statements: [
    ...rollUpAllSql('usage', ['owner', 'key', 'model', 'provider', 'endpoint', 'status']),
    'ALTER TABLE jobs ADD COLUMN cost_nanos BIGINT',
    `UPDATE jobs SET cost_nanos = ${nanos('cost')} WHERE cost IS NOT NULL`,
    'ALTER TABLE jobs DROP COLUMN cost',
    // Work that only one process at a time may do.
    'CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until BIGINT NOT NULL)',
  ],
}
