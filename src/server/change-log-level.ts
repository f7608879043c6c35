import type { LogLevel } from '../contract/admin/config.ts'
import type { Author } from '../tenants/audit/author.ts'
import { audited } from '../tenants/audit/audited.ts'
import type { Database } from '../platform/store/database.ts'
import { deleteSetting, writeSetting } from '../platform/store/installation/settings.ts'

/** The name of the setting in the store. */
export const LOG_LEVEL = 'log-level'

/** Keeps the log level of all processes in the store; null returns to that of the configuration. Others obey within seconds. */
export async function changeLogLevel(
  db: Database,
  { level, author }: { level: LogLevel | null; author: Author },
  refresh: () => Promise<unknown>,
): Promise<void> {
  const auditedDb = audited(db, author, { action: 'config.update', object: 'config', after: { log_level: level } })
  if (level === null) await deleteSetting(auditedDb, LOG_LEVEL)
  else await writeSetting(auditedDb, LOG_LEVEL, level)
  await refresh()
}
