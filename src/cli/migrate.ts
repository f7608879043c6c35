import { loadConfig } from '../config/config.ts'
import { openStore } from '../open-store.ts'

export async function migrateCommand(): Promise<number> {
  const db = await openStore(loadConfig())
  process.stdout.write(`The ${db.kind} database is up to date.\n`)
  await db.close()
  return 0
}
