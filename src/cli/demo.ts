import { readdir } from 'node:fs/promises'
import { type Config, loadConfig } from '../platform/config/config.ts'
import { loadCatalog } from '../platform/catalog/catalog.ts'
import { fillDemo } from './demo/fill.ts'
import { DEMO_PASSWORD, PEOPLE } from './demo/people.ts'
import { openStore } from '../server/open-store.ts'
import { openSecrets } from '../platform/secrets/secrets.ts'
import type { Database } from '../platform/store/database.ts'
import { isUnused } from '../platform/store/installation/is-unused.ts'
import { openWebhookKeys } from '../jobs/webhooks/webhook-keys.ts'
import type { Input } from './command-line/command-table.ts'
import { withProgress } from './output/progress.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const MAX_DAYS = 365

/** `gatehouse demo` fills an empty data folder with a month of sample data. */
export async function demo({ values }: Input<'demo'>, terminal: Terminal): Promise<number> {
  const days = daysIn(values.days)
  const config = loadConfig(terminal.environment)
  await refuseFilledFolder(config)
  const db = await openStore(config)
  try {
    if (!(await isUnused(db)))
      throw new UsageError('The database is not empty. Set DATABASE_URL to an empty one, or leave it out.')
    const made = await fill(config, db, days, terminal)
    for (const { name, count } of made) terminal.print(`${String(count).padStart(6)} ${name}\n`)
    terminal.remark(howToLook(config))
    return 0
  } finally {
    await db.close()
  }
}

async function fill(config: Config, db: Database, days: number, { screen }: Terminal) {
  const keys = await openWebhookKeys(await openSecrets(db, config), config)
  const catalog = loadCatalog(config.providers, { update: config.catalogUpdate })
  const { signer } = keys.current
  return await withProgress('Filling the demo', { screen }, (progress) =>
    fillDemo({ db, config, catalog, signer, days, now: Date.now(), progress }),
  )
}

function daysIn(text = '30'): number {
  const days = Number(text)
  if (Number.isInteger(days) && days >= 2 && days <= MAX_DAYS) return days
  throw new UsageError(`--days must be a whole number from 2 to ${MAX_DAYS}.`)
}

/** A data folder that is in use is never filled with invented data. */
async function refuseFilledFolder({ dataDir }: Config): Promise<void> {
  const names = await readdir(dataDir).catch(() => [])
  if (names.length === 0) return
  throw new UsageError(`The data folder ${dataDir} is not empty. Name another folder: gatehouse demo --data-dir FOLDER`)
}

function howToLook({ dataDir, databaseUrl, adminHost, adminPort }: Config): string {
  const where = databaseUrl ? '' : ` --data-dir ${dataDir}`
  const people = PEOPLE.map(
    ({ email, role, project }) => `  ${email.padEnd(22)} ${role}${project ? ` of ${project}` : ''}`,
  )
  return [
    `\nLook at it:  gatehouse serve${where}`,
    `Sign in at   http://${adminHost}:${adminPort}/sign-in  with the password "${DEMO_PASSWORD}" as one of\n`,
    `${people.join('\n')}\n\nThe password is public: keep a demo on your own machine.\n`,
  ].join('\n')
}
