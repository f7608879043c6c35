/**
 * What operators are told about. A row is one alert from the moment its condition is first seen: `pending` until it has lasted long
 * enough, `open` until it is over, then `resolved`. The messages about it are deliveries, written in the transaction that changes its
 * state, so that no process sends twice what another has sent.
 */
export const alertTables = [
  `CREATE TABLE alerts (
    id TEXT PRIMARY KEY,
    rule TEXT NOT NULL,
    subject TEXT NOT NULL,
    project TEXT,
    state TEXT NOT NULL CHECK (state IN ('pending', 'open', 'resolved')),
    severity TEXT NOT NULL,
    summary TEXT NOT NULL,
    details TEXT NOT NULL,
    value DOUBLE PRECISION NOT NULL,
    threshold DOUBLE PRECISION NOT NULL,
    since BIGINT NOT NULL,
    clear_since BIGINT,
    created_at BIGINT NOT NULL,
    resolved_at BIGINT,
    acknowledged_at BIGINT,
    acknowledged_by TEXT
  )`,
  "CREATE UNIQUE INDEX alerts_unresolved ON alerts (rule, subject) WHERE state <> 'resolved'",
  'CREATE INDEX alerts_by_creation ON alerts (created_at, id)',
  'CREATE INDEX alerts_by_resolution ON alerts (resolved_at) WHERE resolved_at IS NOT NULL',
]
