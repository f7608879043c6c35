import { loadConfig } from '../platform/config/config.ts'
import { openStore } from '../server/open-store.ts'
import type { Input } from './command-line/command-table.ts'
import { withProgress } from './output/progress.ts'
import type { Terminal } from './terminal.ts'

export async function migrateCommand(_: Input<'migrate'>, terminal: Terminal): Promise<number> {
  const { environment, print, screen } = terminal
  const config = loadConfig(environment)
  const db = await withProgress('Migrating the database', { screen }, ({ step }) =>
    openStore(config, {
      progress: ({ migration, newest, statement, statements }) =>
        step(`${migration} of ${newest}, statement ${statement} of ${statements}`),
    }),
  )
  print(`The ${db.kind === 'postgres' ? 'PostgreSQL' : 'SQLite'} database is up to date.\n`)
  await db.close()
  return 0
}
