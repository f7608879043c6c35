import type { Migration } from '../migration.ts'

/**
 * Conversations of the responses format, and responses that are made in the background. The events of a stream are kept while
 * their job is, so that any process can send them, and send them again.
 */
export const migration: Migration = {
  statements: [
    `CREATE TABLE conversations (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      metadata TEXT NOT NULL,
      items BIGINT NOT NULL,
      bytes BIGINT NOT NULL,
      next_position BIGINT NOT NULL,
      last_append TEXT,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL
    )`,
    'CREATE INDEX conversations_by_owner ON conversations (owner, expires_at, bytes)',
    'CREATE INDEX conversations_by_expiry ON conversations (expires_at)',
    `CREATE TABLE conversation_items (
      conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
      position BIGINT NOT NULL,
      id TEXT NOT NULL,
      item TEXT NOT NULL,
      bytes BIGINT NOT NULL,
      PRIMARY KEY (conversation_id, position)
    )`,
    'CREATE UNIQUE INDEX conversation_items_by_id ON conversation_items (conversation_id, id)',
    "ALTER TABLE jobs ADD COLUMN stop TEXT CHECK (stop IN ('cancelled', 'deleted'))",
    "CREATE INDEX jobs_deleted ON jobs (finished_at) WHERE stop = 'deleted'",
    `CREATE TABLE background_responses (
      job_id TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
      shell TEXT NOT NULL,
      streamed BIGINT NOT NULL,
      first_number BIGINT NOT NULL
    )`,
    `CREATE TABLE response_events (
      job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
      first_number BIGINT NOT NULL,
      last_number BIGINT NOT NULL,
      events TEXT NOT NULL,
      PRIMARY KEY (job_id, first_number)
    )`,
  ],
}
