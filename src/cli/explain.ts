import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalog } from '../catalog/catalog.ts'
import type { Aliases } from '../config/aliases/alias.ts'
import { AliasTable } from '../config/aliases/alias-table.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { named } from '../config/config-error.ts'
import { DEFAULT_TIMEOUTS } from '../config/timeouts.ts'
import { readJson } from '../config/read-json.ts'
import { ChatRequest } from '../contract/chat.ts'
import { validator } from '../schema/validator.ts'
import type { Caller } from '../access/caller.ts'
import { Circuits } from '../attempts/circuits.ts'
import { ANYBODY, explain } from '../chat/explain.ts'
import { callerOf } from '../access/keys.ts'
import { Observations } from '../attempts/observations.ts'
import type { ForecastSource } from '../limits/forecast.ts'
import { limitsOfFile, limitsOfStore } from '../limits/forecast-sources.ts'
import { openStore } from '../open-store.ts'
import { readInstallation } from '../read-installation.ts'
import { type Database, StoreUnavailable } from '../store/database.ts'
import { FILE_NAME } from '../store/sqlite.ts'
import { REGIONS, type Region } from '../providers/provider.ts'
import { didYouMean } from '../schema/nearest-name.ts'
import type { Input } from './command-line/command-table.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const bodies = validator(ChatRequest)

/** `gatehouse explain body.json` prints the same as POST /admin/explain, without a running gateway. */
export async function explainCommand(
  input: Input<'explain'>,
  { environment, print, remark }: Terminal,
): Promise<number> {
  const { operands, values } = input
  const request = readRequest(operands[0]!)
  const own = loadConfig(environment)
  const region = values.region === undefined ? own.region : readRegion(values.region)
  const { config, aliases, caller, spending } = await fromStore(own, { ...ANYBODY, region }, values.key, remark)
  const monotonic = () => performance.now()
  const context = {
    config,
    catalog: loadCatalog(config.providers, { prices: config.prices, update: config.catalogUpdate }),
    aliases: new AliasTable(config.aliases, aliases),
    circuits: new Circuits(monotonic),
    observations: new Observations(monotonic),
    timeouts: DEFAULT_TIMEOUTS,
    monotonic,
    spending,
  }
  print(`${JSON.stringify(await explain(request, caller, context), null, 2)}\n`)
  return 0
}

function readRegion(text: string): Region {
  const region = REGIONS.find((one) => one === text)
  if (!region) throw new UsageError(`--region must be one of ${REGIONS.join(', ')}.${didYouMean(text, REGIONS)}`)
  return region
}

type Known = { config: Config; aliases: Aliases; caller: Caller; spending: ForecastSource }

/** Adds what operators have put into the store. Without a store, the config file is all there is. */
async function fromStore(
  config: Config,
  anybody: Caller,
  key: string | undefined,
  remark: Terminal['remark'],
): Promise<Known> {
  const clock = { now: Date.now }
  const nothing = { config, aliases: {}, caller: anybody, spending: limitsOfFile(config.spendLimits, clock) }
  if (key === undefined && !hasStore(config)) return nothing
  try {
    const db = await openStore(config)
    try {
      const installation = await readInstallation(config, db, Date.now)
      const spending = await limitsOfStore(config.spendLimits, db, clock)
      return { ...installation, spending, caller: key === undefined ? anybody : await findCaller(key, config, db) }
    } finally {
      await db.close()
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

function readRequest(file: string): ChatRequest {
  const value = named(file === '-' ? 'stdin' : file, () => readJson(readFileSync(file === '-' ? 0 : file, 'utf8')))
  if (bodies.check(value)) return value as ChatRequest
  const issues = bodies.issues(value, []).map(({ loc, msg }) => `${loc.join('.') || 'the body'}: ${msg}`)
  throw new UsageError(issues.join('\n'))
}
