import type { Migration } from '../migration.ts'

// Large values are in tables of their own, because SQLite rewrites a whole row when one column changes, and a job's lease
// changes every few seconds. The indexes over unfinished work are partial, so that a history of millions costs them
// nothing.
export const migration: Migration = {
  statements: [
    `CREATE TABLE jobs (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      key_id TEXT NOT NULL,
      feature TEXT NOT NULL,
      subfeature TEXT NOT NULL,
      provider TEXT NOT NULL,
      model TEXT,
      show_original BIGINT NOT NULL,
      webhook_url TEXT,
      idempotency_key TEXT,
      body_hash TEXT,
      state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'success', 'fail')),
      turn BIGINT NOT NULL,
      attempt BIGINT NOT NULL,
      executions BIGINT NOT NULL,
      worker TEXT,
      lease_until BIGINT,
      deadline_at BIGINT,
      ticket TEXT,
      cost DOUBLE PRECISION,
      error TEXT,
      created_at BIGINT NOT NULL,
      started_at BIGINT,
      finished_at BIGINT
    )`,
    'CREATE UNIQUE INDEX jobs_by_idempotency_key ON jobs (owner, idempotency_key) WHERE idempotency_key IS NOT NULL',
    "CREATE INDEX jobs_queued ON jobs (turn, created_at, id) WHERE state = 'queued'",
    "CREATE INDEX jobs_queued_by_owner ON jobs (owner, turn) WHERE state = 'queued'",
    "CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'running'",
    'CREATE INDEX jobs_by_deadline ON jobs (deadline_at) WHERE finished_at IS NULL AND deadline_at IS NOT NULL',
    'CREATE INDEX jobs_by_finish ON jobs (finished_at) WHERE finished_at IS NOT NULL',
    'CREATE INDEX jobs_by_owner ON jobs (owner, created_at, id)',
    'CREATE INDEX jobs_by_creation ON jobs (created_at, id)',
    'CREATE INDEX jobs_unfinished ON jobs (created_at, id) WHERE finished_at IS NULL',
    `CREATE TABLE job_requests (
      job_id TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
      request TEXT NOT NULL,
      user_parameters TEXT
    )`,
    `CREATE TABLE job_results (
      job_id TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
      output TEXT,
      original TEXT
    )`,
    // There is no reference to the job, because a promised webhook is sent even if its job is deleted in the meantime.
    `CREATE TABLE deliveries (
      id TEXT PRIMARY KEY,
      job_id TEXT NOT NULL UNIQUE,
      owner TEXT NOT NULL,
      url TEXT NOT NULL,
      receiver TEXT NOT NULL,
      signature TEXT NOT NULL,
      key_id TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
      attempts BIGINT NOT NULL,
      lease BIGINT NOT NULL,
      lease_until BIGINT,
      next_at BIGINT NOT NULL,
      last_status BIGINT,
      last_error TEXT,
      created_at BIGINT NOT NULL,
      settled_at BIGINT
    )`,
    "CREATE INDEX deliveries_due ON deliveries (next_at, id, receiver) WHERE state = 'pending'",
    "CREATE INDEX deliveries_in_flight ON deliveries (lease_until, receiver) WHERE state = 'pending' AND lease_until IS NOT NULL",
    'CREATE INDEX deliveries_by_settlement ON deliveries (settled_at) WHERE settled_at IS NOT NULL',
    'CREATE INDEX deliveries_by_creation ON deliveries (created_at, id)',
    `CREATE TABLE delivery_bodies (
      delivery_id TEXT PRIMARY KEY REFERENCES deliveries (id) ON DELETE CASCADE,
      body BYTEA NOT NULL
    )`,
  ],
}
