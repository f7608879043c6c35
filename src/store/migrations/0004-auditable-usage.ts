import type { Migration } from '../migration.ts'

/** The basis of a cost: the rarer token buckets, the price version, and the provider's own figure. */
export const migration: Migration = {
  statements: [
    'ALTER TABLE usage ADD COLUMN more_tokens TEXT',
    'ALTER TABLE usage ADD COLUMN price_version TEXT',
    'ALTER TABLE usage ADD COLUMN provider_cost DOUBLE PRECISION',
  ],
}
