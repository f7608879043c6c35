import type { Migration } from '../migration.ts'

export const migration: Migration = {
  // For SQLite, the connection defines the store's clock.
  postgresOnly: [
    `CREATE FUNCTION now_ms() RETURNS BIGINT LANGUAGE sql VOLATILE
     AS 'SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)'`,
  ],
  statements: [
    `CREATE TABLE keys (
      id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('live', 'sandbox', 'admin')),
      owner TEXT NOT NULL,
      region TEXT NOT NULL,
      scopes TEXT,
      last4 TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT,
      revoked_at BIGINT,
      last_used_at BIGINT,
      updated_at BIGINT NOT NULL
    )`,
    'CREATE INDEX keys_by_creation ON keys (created_at, id)',
    'CREATE INDEX keys_by_owner ON keys (owner, created_at, id)',
    'CREATE INDEX keys_by_update ON keys (updated_at)',
    // The time is the first column of the primary key: it serves every range of time by itself, and rows with random ids
    // are still written side by side. With the id first, each row of a batch would dirty a page of its own (measured: twice
    // the CPU).
    `CREATE TABLE usage (
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
      cost DOUBLE PRECISION,
      estimated BIGINT NOT NULL,
      duration_ms BIGINT NOT NULL,
      first_token_ms BIGINT,
      PRIMARY KEY (at, id)
    )`,
  ],
}
