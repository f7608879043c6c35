import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { maskUrls } from '../../base/redaction/mask-urls.ts'
import type { Database } from '../../platform/store/database.ts'
import { schemaOf } from '../../platform/store/migrations.ts'
import { openDatabase } from '../../platform/store/open-database.ts'
import { FILE_NAME } from '../../platform/store/sqlite.ts'
import { checkClockOf } from './check-clock.ts'
import { failed, type Finding, ok, warning } from './finding.ts'

const WAIT_MS = 10_000

/** Whether the database can be reached and has the right schema, and what its clock says. Nothing is created or migrated. */
export async function checkDatabase({ dataDir, databaseUrl }: Config): Promise<Finding[]> {
  if (!databaseUrl && !existsSync(join(dataDir, FILE_NAME)))
    return [ok('database', 'The first start creates the embedded database (SQLite).')]
  let db: Database | undefined
  try {
    db = await openDatabase({ dataDir, databaseUrl, connections: 1, connectionWaitMs: WAIT_MS })
    return [checkSchema(db, await schemaOf(db)), ...(await checkClockOf(db))]
  } catch (error) {
    return [failed('database', (error as Error).message, adviceFor(databaseUrl))]
  } finally {
    await db?.close()
  }
}

/** The schema that the database has, and the newest one that this program knows. */
type Schema = { present: number; known: number }

export function checkSchema({ kind }: Pick<Database, 'kind'>, { present, known }: Schema): Finding {
  const name = kind === 'postgres' ? 'PostgreSQL' : 'SQLite'
  if (present > known) {
    const advice = 'Use the newer version that upgraded it, or restore the backup from before the upgrade.'
    return failed('database', `${name} has schema ${present}, but this version knows only up to ${known}.`, advice)
  }
  if (present === known || present === 0)
    return ok('database', present === 0 ? `${name} is empty; the first start sets it up` : `${name}, schema ${present}`)
  const advice = 'The next start updates it, and so does `gatehouse migrate`. Make a backup first.'
  return warning('database', `${name} has schema ${present}, this version uses ${known}.`, advice)
}

/** The address says which server was meant. Its password is masked. */
function adviceFor(databaseUrl: string | undefined): string {
  if (!databaseUrl) return 'Check the folder in DATA_DIR (--data-dir) and its disk.'
  return `Check DATABASE_URL (${maskUrls(databaseUrl)}): host, port, user, password and database, and that the server runs.`
}
