import type { Database } from '../database.ts'

/**
 * The audit log: a chain in which every row has the hash of the row before it (platform/store/audit/append.ts). The triggers are a second fence
 * against changes; what is changed in spite of them, `gatehouse audit verify` finds.
 */
export function auditTables(kind: Database['kind']): string[] {
  return [
    ...(kind === 'postgres' ? [SHA256_HEX] : []),
    ...TABLES,
    ...(kind === 'postgres' ? FENCE_ON_POSTGRES : FENCE_ON_SQLITE),
  ]
}

const TABLES = [
  `CREATE TABLE audit (
    seq BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    via TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    before TEXT,
    after TEXT,
    ip TEXT,
    request TEXT,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL
  )`,
  'CREATE INDEX audit_by_actor ON audit (actor, seq)',
  'CREATE INDEX audit_by_action ON audit (action, seq)',
  'CREATE INDEX audit_by_object ON audit (object, seq)',
  'CREATE INDEX audit_by_time ON audit (at)',
  `CREATE TABLE audit_checkpoints (
    seq BIGINT PRIMARY KEY,
    hash TEXT NOT NULL,
    at BIGINT NOT NULL,
    key_id TEXT NOT NULL,
    signature TEXT NOT NULL
  )`,
]

const FENCED = ['audit', 'audit_checkpoints']
const REFUSAL = 'The audit log can only be appended to.'

const SHA256_HEX = `CREATE FUNCTION sha256_hex(value TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
  AS 'SELECT encode(sha256(convert_to(value, ''UTF8'')), ''hex'')'`

const FENCE_ON_POSTGRES = [
  `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql
   AS 'BEGIN RAISE EXCEPTION ''${REFUSAL}''; END'`,
  ...FENCED.map(
    (table) => `CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
  ),
]

const FENCE_ON_SQLITE = FENCED.flatMap((table) =>
  ['UPDATE', 'DELETE'].map(
    (change) => `CREATE TRIGGER ${table}_no_${change.toLowerCase()} BEFORE ${change} ON ${table}
      BEGIN SELECT RAISE(ABORT, '${REFUSAL}'); END`,
  ),
)
