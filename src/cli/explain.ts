import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Aliases } from '../platform/config/aliases/alias.ts'
import { type Config, loadConfig } from '../platform/config/config.ts'
import { named } from '../platform/config/config-error.ts'
import { readJson } from '../platform/config/read-json.ts'
import { Problem } from '../contract/problems.ts'
import type { Caller } from '../tenants/access/caller.ts'
import { KEYLESS_CALLER } from '../endpoints/explain/explanation.ts'
import { explainOffline } from './explain-offline.ts'
import { callerOf } from '../tenants/access/keys.ts'
import type { ForecastSource } from '../money/limits/forecast.ts'
import { limitsOfFile, limitsOfStore } from '../money/limits/forecast-sources.ts'
import { openStore } from '../server/open-store.ts'
import { readInstallation } from '../server/read-installation.ts'
import { type Database, StoreUnavailable } from '../platform/store/database.ts'
import { FILE_NAME } from '../platform/store/sqlite.ts'
import { REGIONS, type Region } from '../platform/providers/provider.ts'
import { didYouMean } from '../base/schema/nearest-name.ts'
import type { Input } from './command-line/command-table.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** `gatehouse explain body.json` prints the same as POST /admin/explain, without a running gateway. */
export async function explainCommand(
  input: Input<'explain'>,
  { environment, print, remark }: Terminal,
): Promise<number> {
  const { operands, values } = input
  const body = readRequest(operands[0]!)
  const own = loadConfig(environment)
  const region = values.region === undefined ? own.region : readRegion(values.region)
  const { caller, ...stored } = await fromStore(own, { ...KEYLESS_CALLER, region }, values.key, remark)
  try {
    print(`${JSON.stringify(await explainOffline(body, caller, stored), null, 2)}\n`)
    return 0
  } catch (error) {
    throw refusalIn(error) ?? error
  } finally {
    await stored.db?.close()
  }
}

/** What is wrong with the request, as a complaint about the file. */
function refusalIn(error: unknown): UsageError | undefined {
  const detail = error instanceof Problem ? error.details.detail : undefined
  return (
    detail && new UsageError(detail.map(({ loc, msg }) => `${loc.slice(1).join('.') || 'the body'}: ${msg}`).join('\n'))
  )
}

function readRegion(text: string): Region {
  const region = REGIONS.find((one) => one === text)
  if (!region) throw new UsageError(`--region must be one of ${REGIONS.join(', ')}.${didYouMean(text, REGIONS)}`)
  return region
}

type OfflineInstallation = {
  config: Config
  aliases: Aliases
  caller: Caller
  limits: ForecastSource
  db: Database | undefined
}

/** Adds what operators have put into the store. Without a store, the config file is all there is. */
async function fromStore(
  config: Config,
  keyless: Caller,
  key: string | undefined,
  remark: Terminal['remark'],
): Promise<OfflineInstallation> {
  const clock = { now: Date.now }
  const limits = limitsOfFile(config.spendLimits, clock)
  const nothing = { config, aliases: {}, caller: keyless, limits, db: undefined }
  if (key === undefined && !hasStore(config)) return nothing
  try {
    const db = await openStore(config)
    try {
      const installation = await readInstallation(config, db, Date.now)
      const stored = await limitsOfStore(config.spendLimits, db, clock)
      const caller = key === undefined ? keyless : await findCaller(key, config, db)
      return { ...installation, caller, limits: stored, db }
    } catch (error) {
      await db.close()
      throw error
    }
  } catch (error) {
    if (key !== undefined || !(error instanceof StoreUnavailable)) throw error
    remark(
      `The store cannot be reached, so its aliases, credentials, catalog and limits are left out: ${error.message}\n`,
    )
    return nothing
  }
}

/** A dry run does not create a database. */
function hasStore({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl !== undefined || existsSync(join(dataDir, FILE_NAME))
}

async function findCaller(id: string, config: Config, db: Database): Promise<Caller> {
  const caller = await callerOf(id, { db, now: Date.now, newId: randomUUID, config })
  if (caller) return caller
  throw new UsageError('There is no key with this id. `gatehouse keys list` shows the ids.')
}

function readRequest(file: string): Buffer {
  return named(file === '-' ? 'stdin' : file, () => {
    const bytes = readFileSync(file === '-' ? 0 : file)
    readJson(bytes.toString('utf8'))
    return bytes
  })
}
