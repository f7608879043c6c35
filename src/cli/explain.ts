import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadCatalog } from '../catalog/catalog.ts'
import { loadConfig } from '../config/config.ts'
import { USUAL_LIMITS } from '../config/limits.ts'
import { ChatRequest } from '../contract/chat.ts'
import { validator } from '../contract/validator.ts'
import { Circuits } from '../core/circuits.ts'
import { ANYBODY, explain } from '../core/explain.ts'
import { Observations } from '../core/routing/observations.ts'
import { UsageError } from './usage-error.ts'

const bodies = validator(ChatRequest)

/** `gatehouse explain body.json`: the same as POST /admin/explain, without a gateway that runs. */
export async function explainCommand(argv: string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { region: { type: 'string' } },
  })
  const request = readRequest(positionals[0])
  const config = loadConfig()
  const region = (values.region ?? config.region) as typeof config.region
  const outside = {
    config,
    catalog: loadCatalog(config.providers),
    circuits: new Circuits(Date.now),
    observations: new Observations(Date.now),
    limits: USUAL_LIMITS,
    now: Date.now,
  }
  process.stdout.write(`${JSON.stringify(explain(request, { ...ANYBODY, region }, outside), null, 2)}\n`)
  return 0
}

function readRequest(file: string | undefined): ChatRequest {
  if (!file) throw new UsageError('Name a file with the body of a chat request, or - for stdin.')
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
