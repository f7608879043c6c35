import type { Migration } from '../migration.ts'

/**
 * The audit log: a chain in which every row has the hash of the row before it (store/audit/append.ts). The triggers are a
 * second fence against changes; what somebody changes in spite of them, `gatehouse audit verify` finds.
 */
export const migration: Migration = {
  postgresOnly: [
    `CREATE FUNCTION sha256_hex(value TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
     AS 'SELECT encode(sha256(convert_to(value, ''UTF8'')), ''hex'')'`,
    ...tables(),
    `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql
     AS 'BEGIN RAISE EXCEPTION ''The audit log can only be appended to.''; END'`,
    ...['audit', 'audit_checkpoints'].map(
      (table) => `CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
    ),
  ],
  sqliteOnly: [
    ...tables(),
    ...['audit', 'audit_checkpoints'].flatMap((table) => ['UPDATE', 'DELETE'].map((change) => refusal(table, change))),
  ],
  statements: [
    'CREATE INDEX audit_by_actor ON audit (actor, seq)',
    'CREATE INDEX audit_by_action ON audit (action, seq)',
    'CREATE INDEX audit_by_object ON audit (object, seq)',
    'CREATE INDEX audit_by_time ON audit (at)',
  ],
}

function tables(): string[] {
  return [
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
    `CREATE TABLE audit_checkpoints (
      seq BIGINT PRIMARY KEY,
      hash TEXT NOT NULL,
      at BIGINT NOT NULL,
      key_id TEXT NOT NULL,
      signature TEXT NOT NULL
    )`,
  ]
}

function refusal(table: string, change: string): string {
  return `CREATE TRIGGER ${table}_no_${change.toLowerCase()} BEFORE ${change} ON ${table}
    BEGIN SELECT RAISE(ABORT, 'The audit log can only be appended to.'); END`
}
