import type { Migration } from '../migration.ts'

/**
 * Credentials at providers that operators manage while the gateway runs; their secrets are in the table `secrets`. And the
 * catalog of models that replaces the one in the package, with its signature.
 */
export const migration: Migration = {
  statements: [
    `CREATE TABLE credentials (
      id TEXT PRIMARY KEY,
      provider TEXT NOT NULL,
      name TEXT NOT NULL,
      weight BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      UNIQUE (provider, name)
    )`,
    `CREATE TABLE catalogs (
      name TEXT PRIMARY KEY,
      dated_at BIGINT NOT NULL,
      digest TEXT NOT NULL,
      content TEXT NOT NULL
    )`,
  ],
}
