import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { loadCatalog } from '../catalog/catalog.ts'
import { AliasTable } from '../config/aliases/alias-table.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { named } from '../config/config-error.ts'
import { DEFAULT_LIMITS } from '../config/limits.ts'
import { readJson } from '../config/read-json.ts'
import { ChatRequest } from '../contract/chat.ts'
import { validator } from '../schema/validator.ts'
import type { Caller } from '../access/caller.ts'
import { Circuits } from '../attempts/circuits.ts'
import { ANYBODY, explain } from '../chat/explain.ts'
import { callerOf } from '../access/keys.ts'
import { Observations } from '../attempts/observations.ts'
import { openStore } from '../open-store.ts'
import { REGIONS, type Region } from '../providers/provider.ts'
import { didYouMean } from '../schema/nearest-name.ts'
import type { Input } from './command-line/command-table.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const bodies = validator(ChatRequest)

/** `gatehouse explain body.json` prints the same as POST /admin/explain, without a running gateway. */
export async function explainCommand(input: Input<'explain'>, { environment, print }: Terminal): Promise<number> {
  const { operands, values } = input
  const request = readRequest(operands[0]!)
  const config = loadConfig(environment)
  const region = values.region === undefined ? config.region : readRegion(values.region)
  const caller = values.key === undefined ? { ...ANYBODY, region } : await findCaller(values.key, config)
  const monotonic = () => performance.now()
  const context = {
    config,
    catalog: loadCatalog(config.providers, { prices: config.prices }),
    aliases: new AliasTable(config.aliases),
    circuits: new Circuits(monotonic),
    observations: new Observations(monotonic),
    limits: DEFAULT_LIMITS,
    monotonic,
  }
  print(`${JSON.stringify(await explain(request, caller, context), null, 2)}\n`)
  return 0
}

function readRegion(text: string): Region {
  const region = REGIONS.find((one) => one === text)
  if (!region) throw new UsageError(`--region must be one of ${REGIONS.join(', ')}.${didYouMean(text, REGIONS)}`)
  return region
}

async function findCaller(id: string, config: Config): Promise<Caller> {
  const db = await openStore(config)
  try {
    const caller = await callerOf(id, { db, now: Date.now, newId: randomUUID, config })
    if (!caller) throw new UsageError('There is no key with this id. `gatehouse keys list` shows the ids.')
    return caller
  } finally {
    await db.close()
  }
}

function readRequest(file: string): ChatRequest {
  const value = named(file === '-' ? 'stdin' : file, () => readJson(readFileSync(file === '-' ? 0 : file, 'utf8')))
  if (bodies.check(value)) return value as ChatRequest
  const issues = bodies.issues(value, []).map(({ loc, msg }) => `${loc.join('.') || 'the body'}: ${msg}`)
  throw new UsageError(issues.join('\n'))
}
