import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadCatalog } from '../catalog/catalog.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { DEFAULT_LIMITS } from '../config/limits.ts'
import { ChatRequest } from '../contract/chat.ts'
import { validator } from '../schema/validator.ts'
import type { Caller } from '../access/caller.ts'
import { Circuits } from '../attempts/circuits.ts'
import { ANYBODY, explain } from '../chat/explain.ts'
import { callerOf } from '../access/keys.ts'
import { Observations } from '../attempts/observations.ts'
import { openStore } from '../open-store.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const bodies = validator(ChatRequest)

/** `gatehouse explain body.json` prints the same as POST /admin/explain, without a running gateway. */
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
  const monotonic = () => performance.now()
  const context = {
    config,
    catalog: loadCatalog(config.providers, { prices: config.prices }),
    circuits: new Circuits(monotonic),
    observations: new Observations(monotonic),
    limits: DEFAULT_LIMITS,
    monotonic,
  }
  print(`${JSON.stringify(await explain(request, caller, context), null, 2)}\n`)
  return 0
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
  const issues = bodies.issues(value, []).map(({ loc, msg }) => `${loc.join('.') || 'the body'}: ${msg}`)
  throw new UsageError(issues.join('\n'))
}
