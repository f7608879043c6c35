import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadCatalog } from '../catalog/catalog.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { USUAL_LIMITS } from '../config/limits.ts'
import { ChatRequest } from '../contract/chat.ts'
import { validator } from '../contract/validator.ts'
import type { Caller } from '../core/caller.ts'
import { Circuits } from '../core/circuits.ts'
import { ANYBODY, explain } from '../core/explain.ts'
import { callerOf } from '../core/key-desk.ts'
import { Observations } from '../core/routing/observations.ts'
import { openStore } from '../open-store.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const bodies = validator(ChatRequest)

/** `gatehouse explain body.json`: the same as POST /admin/explain, without a gateway that runs. */
export async function explainCommand(argv: string[], { environment, print }: Terminal): Promise<number> {
  const { positionals, values } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { region: { type: 'string' }, key: { type: 'string' } },
  })
  const request = readRequest(positionals[0])
  const config = loadConfig(environment)
  const region = (values.region ?? config.region) as typeof config.region
  const caller = values.key === undefined ? { ...ANYBODY, region } : await findCaller(values.key, config)
  const outside = {
    config,
    catalog: loadCatalog(config.providers),
    circuits: new Circuits(Date.now),
    observations: new Observations(Date.now),
    limits: USUAL_LIMITS,
    now: Date.now,
  }
  print(`${JSON.stringify(explain(request, caller, outside), null, 2)}\n`)
  return 0
}

async function findCaller(id: string, config: Config): Promise<Caller> {
  const db = await openStore(config)
  try {
    const caller = await callerOf(id, { db, now: Date.now, newId: randomUUID, region: config.region })
    if (!caller) throw new UsageError('There is no key with this id. `gatehouse keys list` shows the ids.')
    return caller
  } finally {
    await db.close()
  }
}

function readRequest(file: string | undefined): ChatRequest {
  if (!file) throw new UsageError('Pass a file with the body of a chat request, or - for stdin.')
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read'
    throw new UsageError(`${file} ${reason}.`)
  }
  if (bodies.check(value)) return value as ChatRequest
  const faults = bodies.faults(value, []).map(({ loc, msg }) => `${loc.join('.') || 'the body'}: ${msg}`)
  throw new UsageError(faults.join('\n'))
}
