import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Config, loadConfig } from '../platform/config/config.ts'
import { backUpSqlite } from '../platform/store/backup/backup-sqlite.ts'
import type { Input } from './command-line/command-table.ts'
import { inMb } from './output/amounts.ts'
import { withProgress } from './output/progress.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** What is in the data folder beside the database. A name without a line here is listed too. */
const MEANINGS: Record<string, string> = {
  'encryption-key': 'the key of the secrets in the database; keep it in another place',
  blobs: 'uploads and results; files never change, so they can be copied at any time, after the database',
  ledger: 'ledger lines that are not in the database yet',
}
/** The database itself, and what only running requests need. */
const NOT_NEEDED = /^(gatehouse\.db(-wal|-shm)?|temp-files|upload-buffer)$/

/** `gatehouse backup FILE` copies the database. Keys stay out of the file, so the file alone does not reveal stored secrets. */
export async function backup({ operands }: Input<'backup'>, terminal: Terminal): Promise<number> {
  const { environment, print, remark, screen } = terminal
  const file = operands[0]!
  const config = loadConfig(environment)
  if (config.databaseUrl)
    throw new UsageError(
      'The database is PostgreSQL. Back it up with pg_dump --format=custom, and restore with pg_restore.',
    )
  const { bytes, schema } = await withProgress('Copying the database', { screen, format: inMb }, ({ at }) =>
    backUpSqlite(config.dataDir, resolve(file), at),
  )
  print(`${resolve(file)}: ${inMb(bytes)}, schema ${schema}\n`)
  remark(await whatElse(config))
  return 0
}

async function whatElse({ dataDir, blobUrl, webhookPrivateKeyFile }: Config): Promise<string> {
  const names = (await readdir(dataDir)).filter((name) => !NOT_NEEDED.test(name)).sort()
  const lines = names.map((name) => `  ${join(dataDir, name)}${MEANINGS[name] ? `: ${MEANINGS[name]}` : ''}`)
  if (webhookPrivateKeyFile) lines.push(`  ${webhookPrivateKeyFile}: the key that signs webhooks`)
  if (blobUrl) lines.push('  the bucket of BLOB_URL: uploads and results')
  lines.push('  the environment and the config file, with GATEHOUSE_ENCRYPTION_KEY if it is set')
  return `The file has only the database. A complete backup also has:\n${lines.join('\n')}\nSee docs/operating.md.\n`
}
