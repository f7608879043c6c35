/** One step of the schema. Its number is the number at the beginning of its file's name. */
export type Migration = {
  postgresOnly?: readonly string[]
  sqliteOnly?: readonly string[]
  /** Run on both, after the statements of one database. */
  statements: readonly string[]
}

/** A migration with its number. */
export type NumberedMigration = Migration & { number: number }
