/** One step of the schema. Its number is the number at the beginning of its file's name. */
export type Migration = {
  /** These come before the statements for both databases. */
  postgresOnly?: readonly string[]
  sqliteOnly?: readonly string[]
  statements: readonly string[]
}

/** A migration with its number. */
export type NumberedMigration = Migration & { number: number }
