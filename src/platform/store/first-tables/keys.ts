import type { Database } from '../database.ts'

/**
 * Keys, and the secrets that they had before their rotations, which open them until their time is over.
 *
 * `change` marks keys that were changed after their creation, whatever changed them, so that processes can read only what changed (see
 * key-changes.ts). Noting the last use of a key is no change. New keys have no mark: no process has them in memory yet.
 */
export function keyTables(kind: Database['kind']): string[] {
  return [...TABLES, ...(kind === 'postgres' ? MARK_ON_POSTGRES : MARK_ON_SQLITE)]
}

const TABLES = [
  `CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('live', 'sandbox', 'admin', 'session')),
    project TEXT NOT NULL REFERENCES projects (id),
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('project', 'key', 'person')),
    owner_id TEXT NOT NULL,
    user_id TEXT,
    region TEXT NOT NULL,
    scopes TEXT,
    policy TEXT,
    allowed_ips TEXT,
    last4 TEXT NOT NULL,
    imported_from TEXT,
    record_left BIGINT,
    record_until BIGINT,
    record_mode TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    change BIGINT
  )`,
  'CREATE INDEX keys_by_creation ON keys (created_at, id)',
  'CREATE INDEX keys_by_project ON keys (project, created_at, id)',
  'CREATE INDEX keys_by_user ON keys (user_id) WHERE user_id IS NOT NULL',
  'CREATE INDEX keys_by_expiry ON keys (expires_at) WHERE expires_at IS NOT NULL',
  'CREATE INDEX keys_by_change ON keys (change, id) WHERE change IS NOT NULL',
  // Made by another gateway. Their shape is not ours, so keys of other shapes are looked up only where there is one of these.
  'CREATE INDEX keys_imported ON keys (imported_from) WHERE imported_from IS NOT NULL',
  'CREATE INDEX keys_recorded ON keys (record_until) WHERE record_left > 0',

  // What writes one also updates the row of its key, so that the change is noticed.
  `CREATE TABLE former_secrets (
    digest TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    valid_until BIGINT NOT NULL
  )`,
  'CREATE INDEX former_secrets_by_key ON former_secrets (key_id)',
]

const MARK_ON_POSTGRES = [
  `CREATE FUNCTION mark_key_change() RETURNS trigger LANGUAGE plpgsql
   AS 'BEGIN NEW.change = CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT); RETURN NEW; END'`,
  `CREATE TRIGGER keys_mark_change BEFORE UPDATE ON keys FOR EACH ROW
   WHEN (OLD.last_used_at IS NOT DISTINCT FROM NEW.last_used_at) EXECUTE FUNCTION mark_key_change()`,
]

const MARK_ON_SQLITE = [
  `CREATE TRIGGER keys_mark_change AFTER UPDATE ON keys
   WHEN OLD.last_used_at IS NEW.last_used_at AND OLD.change IS NEW.change
   BEGIN
     UPDATE keys SET change = (SELECT COALESCE(MAX(change), 0) + 1 FROM keys WHERE change IS NOT NULL) WHERE id = NEW.id;
   END`,
]
