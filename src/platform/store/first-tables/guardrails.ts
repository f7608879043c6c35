/** Guardrails of the admin API. Every process keeps a copy of all of them in memory. */
export const guardrailTables = [
  `CREATE TABLE guardrails (
    id TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    holder_id TEXT,
    set_by TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK ((holder = 'all') = (holder_id IS NULL))
  )`,
  'CREATE INDEX guardrails_by_holder ON guardrails (holder, holder_id)',
  'CREATE TABLE guardrail_versions (version BIGINT NOT NULL)',
  'INSERT INTO guardrail_versions (version) VALUES (0)',
]
