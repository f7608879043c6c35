/**
 * Limits of the admin API, and what is spent of all limits. A window of a limit is a row of its own, so nothing is ever reset.
 * `spent` is the sum of the charges of ledger lines, and is written in their transaction; `forgiven` is what an operator took off.
 */
export const limitTables = [
  `CREATE TABLE limits (
    id TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    holder_id TEXT,
    set_by TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK ((holder = 'all') = (holder_id IS NULL))
  )`,
  'CREATE INDEX limits_by_holder ON limits (holder, holder_id)',
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

  // Sessions that limits per session count now: when their windows began, and when they were used last. They end when they have been
  // idle for as long as the limit says.
  `CREATE TABLE limit_sessions (
    limit_id TEXT NOT NULL,
    bucket TEXT NOT NULL,
    key_id TEXT NOT NULL,
    is_shared BIGINT NOT NULL,
    window_start BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (limit_id, bucket)
  )`,
  'CREATE INDEX limit_sessions_key ON limit_sessions (limit_id, key_id)',
  'CREATE INDEX limit_sessions_used ON limit_sessions (used_at)',

  // What was used of a rate, in slots of a sixtieth of its window; a slot counts until `ends_at`, one window after its last use.
  `CREATE TABLE limit_uses (
    limit_id TEXT NOT NULL,
    bucket TEXT NOT NULL,
    slot BIGINT NOT NULL,
    used BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    PRIMARY KEY (limit_id, bucket, slot)
  )`,
  'CREATE INDEX limit_uses_end ON limit_uses (ends_at)',

  // What a process holds and may have used without a line yet. It counts as taken until its lines arrive, it is given back, or an
  // operator releases it after its process died. A lease says itself how long it lasts, and for how long after its end it counts as
  // taken. `called_at` is when another process asked its holder to give back what no call uses; until `lean_until`, the holder keeps
  // nothing that no call uses.
  `CREATE TABLE limit_leases (
    limit_id TEXT NOT NULL,
    bucket TEXT NOT NULL,
    window_start BIGINT NOT NULL,
    holder TEXT NOT NULL,
    granted BIGINT NOT NULL,
    taken BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    life_ms BIGINT NOT NULL,
    counts_ms BIGINT NOT NULL,
    called_at BIGINT,
    lean_until BIGINT NOT NULL,
    PRIMARY KEY (limit_id, bucket, window_start, holder)
  )`,
  'CREATE INDEX limit_leases_holder ON limit_leases (holder)',
  'CREATE INDEX limit_leases_called ON limit_leases (holder) WHERE called_at IS NOT NULL',
]
