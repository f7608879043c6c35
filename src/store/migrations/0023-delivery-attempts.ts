import type { Migration } from '../migration.ts'

/**
 * Every attempt to send a webhook, with the beginning of the receiver's answer; `lease` is the number of the claim, which only
 * grows. A job that an operator ran again names the job that failed.
 */
export const migration: Migration = {
  statements: [
    `CREATE TABLE delivery_attempts (
      delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
      lease BIGINT NOT NULL,
      at BIGINT NOT NULL,
      status BIGINT,
      error TEXT,
      answer TEXT,
      duration_ms BIGINT NOT NULL,
      signed_at BIGINT,
      signature TEXT,
      PRIMARY KEY (delivery_id, lease)
    )`,
    "CREATE INDEX deliveries_failed ON deliveries (created_at, id) WHERE state = 'failed'",
    'ALTER TABLE jobs ADD COLUMN retry_of TEXT',
    'CREATE INDEX jobs_by_retry ON jobs (retry_of) WHERE retry_of IS NOT NULL',
    "CREATE INDEX jobs_failed ON jobs (created_at, id) WHERE state = 'fail'",
  ],
}
