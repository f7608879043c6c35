import { loadConfig } from '../config/config.ts'
import { openStore } from '../open-store.ts'
import type { Database } from '../store/database.ts'
import { freePages, vacuumAll } from '../store/maintenance/vacuum.ts'
import type { Input } from './command-line/command-table.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const MB = 1024 * 1024

export async function migrateCommand({ values }: Input<'migrate'>, { environment, print }: Terminal): Promise<number> {
  const config = loadConfig(environment)
  const db = await openStore(config)
  print(`The ${db.kind} database is up to date.\n`)
  const advice = db.kind === 'sqlite' && !values.vacuum ? await adviceFor(db) : ''
  await db.close()
  print(advice)
  if (values.vacuum) print(db.kind === 'sqlite' ? vacuum(config.dataDir) : NOT_NEEDED)
  return 0
}

const NOT_NEEDED = 'PostgreSQL returns the space of removed months by itself.\n'

async function adviceFor(db: Database): Promise<string> {
  const { bytes, canShrink } = await freePages(db)
  if (canShrink) return ''
  const free = `The file has ${inMb(bytes)} of free space and cannot shrink.`
  return `${free} Stop the gateway and run \`gatehouse migrate --vacuum\` once: afterwards it shrinks by itself.\n`
}

function vacuum(dataDir: string): string {
  const sizes = vacuumAll(dataDir)
  if (!sizes) throw new UsageError('Another process uses the database. Stop the gateway, then run this command again.')
  return `The file had ${inMb(sizes.before)} and has ${inMb(sizes.after)} now. From now on it shrinks by itself.\n`
}

function inMb(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`
}
