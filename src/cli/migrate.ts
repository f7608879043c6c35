import { loadConfig } from '../config/config.ts'
import { openStore } from '../open-store.ts'
import type { Terminal } from './terminal.ts'

export async function migrateCommand(_argv: string[], { environment, print }: Terminal): Promise<number> {
  const db = await openStore(loadConfig(environment))
  print(`The ${db.kind} database is up to date.\n`)
  await db.close()
  return 0
}
