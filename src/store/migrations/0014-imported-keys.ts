import type { Migration } from '../migration.ts'

/**
 * Keys that were made by another gateway, and which one. Their shape is not ours, so keys of other shapes are looked up only
 * where there is one of these.
 */
export const migration: Migration = {
  statements: [
    'ALTER TABLE keys ADD COLUMN imported_from TEXT',
    'CREATE INDEX keys_imported ON keys (imported_from) WHERE imported_from IS NOT NULL',
  ],
}
