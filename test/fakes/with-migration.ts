import type { NumberedMigration } from '../../src/platform/store/migration.ts'
import { MIGRATIONS } from '../../src/platform/store/migrations.ts'

/** The real migrations and one more. */
export function withMigration(statements: readonly string[]): NumberedMigration[] {
  return [...MIGRATIONS, { number: MIGRATIONS.length + 1, statements: () => statements }]
}
