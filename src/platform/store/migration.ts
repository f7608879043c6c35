import type { Database } from './database.ts'

/** One step of the schema. Its number is the number at the beginning of its file's name. */
export type Migration = { statements(kind: Database['kind']): readonly string[] }

/** A migration with its number. */
export type NumberedMigration = Migration & { number: number }
