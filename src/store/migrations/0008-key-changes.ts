import type { Migration } from '../migration.ts'

/**
 * Marks keys that were changed after their creation, whoever changes them, so that processes can read only what changed
 * (see key-changes.ts). Noting the last use of a key is no change. New keys have no mark: nobody has them in memory yet.
 */
export const migration: Migration = {
  postgresOnly: [
    'ALTER TABLE keys ADD COLUMN change BIGINT',
    `CREATE FUNCTION mark_key_change() RETURNS trigger LANGUAGE plpgsql
     AS 'BEGIN NEW.change = CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT); RETURN NEW; END'`,
    `CREATE TRIGGER keys_mark_change BEFORE UPDATE ON keys FOR EACH ROW
     WHEN (OLD.last_used_at IS NOT DISTINCT FROM NEW.last_used_at) EXECUTE FUNCTION mark_key_change()`,
  ],
  sqliteOnly: [
    'ALTER TABLE keys ADD COLUMN change BIGINT',
    `CREATE TRIGGER keys_mark_change AFTER UPDATE ON keys
     WHEN OLD.last_used_at IS NEW.last_used_at AND OLD.change IS NEW.change
     BEGIN
       UPDATE keys SET change = (SELECT COALESCE(MAX(change), 0) + 1 FROM keys WHERE change IS NOT NULL) WHERE id = NEW.id;
     END`,
  ],
  statements: [
    'CREATE INDEX keys_by_change ON keys (change, id) WHERE change IS NOT NULL',
    'DROP INDEX keys_by_update',
  ],
}
