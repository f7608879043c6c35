import type { Migration } from '../migration.ts'

export const migration: Migration = { statements: [] }
