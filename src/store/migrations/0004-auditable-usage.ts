import type { Migration } from '../migration.ts'

/** What a cost was made of: the rarer buckets of tokens, which prices were in force, what the provider said itself. */
export const migration: Migration = {
  statements: [
    'ALTER TABLE usage ADD COLUMN more_tokens TEXT',
    'ALTER TABLE usage ADD COLUMN price_version TEXT',
    'ALTER TABLE usage ADD COLUMN provider_cost DOUBLE PRECISION',
  ],
}
