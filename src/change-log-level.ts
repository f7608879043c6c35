import type { LogLevel } from './contract/config.ts'
import type { Database } from './store/database.ts'
import { deleteSetting, writeSetting } from './store/installation/settings.ts'

/** Keeps the log level of all processes in the store; null returns to that of the configuration. Others obey within seconds. */
export async function changeLogLevel(
  db: Database,
  level: LogLevel | null,
  refresh: () => Promise<unknown>,
): Promise<void> {
  if (level === null) await deleteSetting(db, 'log-level')
  else await writeSetting(db, 'log-level', level)
  await refresh()
}
