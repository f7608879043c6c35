import { loadConfig } from '../config/config.ts'
import { openStore } from '../open-store.ts'
import type { Database } from '../store/database.ts'
import { runApart } from '../store/maintenance/run-apart.ts'
import { freePages } from '../store/maintenance/vacuum.ts'
import type { Input } from './command-line/command-table.ts'
import { inMb } from './output/amounts.ts'
import { type Screen, withProgress } from './output/progress.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

export async function migrateCommand({ values }: Input<'migrate'>, terminal: Terminal): Promise<number> {
  const { environment, print, screen } = terminal
  const config = loadConfig(environment)
  const db = await withProgress('Migrating the database', { screen }, ({ step }) =>
    openStore(config, {
      progress: ({ migration, newest, statement, statements }) =>
        step(`${migration} of ${newest}, statement ${statement} of ${statements}`),
    }),
  )
  print(`The ${db.kind === 'postgres' ? 'PostgreSQL' : 'SQLite'} database is up to date.\n`)
  const advice = db.kind === 'sqlite' && !values.vacuum ? await adviceFor(db) : ''
  await db.close()
  print(advice)
  if (values.vacuum) print(db.kind === 'sqlite' ? await vacuum(config.dataDir, screen) : NOT_NEEDED)
  return 0
}

const NOT_NEEDED = 'PostgreSQL returns the space of removed months by itself.\n'

async function adviceFor(db: Database): Promise<string> {
  const { bytes, canShrink } = await freePages(db)
  if (canShrink) return ''
  const free = `The file has ${inMb(bytes)} of free space and cannot shrink.`
  return `${free} Stop the gateway and run \`gatehouse migrate --vacuum\` once: afterwards it shrinks by itself.\n`
}

async function vacuum(dataDir: string, screen: Screen | undefined): Promise<string> {
  const sizes = await withProgress('Rewriting the file', { screen }, ({ step }) => {
    step('without its free space')
    return runApart('vacuumAll', dataDir)
  })
  if (!sizes) throw new UsageError('Another process uses the database. Stop the gateway, then run this command again.')
  return `The file had ${inMb(sizes.before)} and has ${inMb(sizes.after)} now. From now on it shrinks by itself.\n`
}
