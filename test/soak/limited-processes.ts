import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../../src/platform/store/open-database.ts'
import { chargedWindows } from '../../src/platform/store/limits/window-sums.ts'
import { type GatewayProcess, startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY } from '../gateway/gateway-under-test.ts'
import { answer } from '../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'

// Several processes spend one budget at the same time until nothing is left. What the provider has billed in the end must not
// be more than the budget, nearly all of the budget must be used, and the store must not be asked often.

export type LimitedLoad = {
  calls: number
  capUsd: number
  /** Gateways with a store in common, and API processes of each. */
  gateways: number
  workers: number
  databaseUrl?: string | undefined
}

type LimitedReport = {
  answered: number
  refused: number
  /** Statuses of answers that are neither. */
  others: number[]
  /** In billionths of a dollar: what the provider billed, what the budget says, and its amount. */
  billed: number
  spent: number
  cap: number
  /** How often processes asked the store for a lease. */
  questions: number
  /** After all processes have ended. */
  leasesLeft: number
  /** Windows whose sums are not those of the ledger. */
  differing: number
}

const NANOS = 1_000_000_000
const CLIENTS = 60
const REST_CALLS = 200
const REFUSED_AT_END = 24
/** The fake bills 1 USD for a million tokens that it reads, and 2 for those that it writes. */
const NANOS_PER_INPUT = 1_000
const NANOS_PER_OUTPUT = 2_000
const PROMPT_TOKENS = 10
const BUDGET = 'shared'

export async function limitedProcesses(load: LimitedLoad): Promise<LimitedReport> {
  await using closing = new AsyncDisposableStack()
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const fake = await startFakeProvider({ everyPath: true })
  closing.defer(fake.close)
  const bill = billing(fake)
  const config = join(folder.path, 'gatehouse.config.json')
  await writeFile(config, JSON.stringify(configOf(fake.url, load.capUsd)))
  const gateways = await startAll(load, { config, dataDir: folder.data }, closing)
  const statuses = [...(await send(gateways, load.calls)), ...(await sendRest(gateways))]
  await Promise.all(gateways.map((gateway) => gateway.stop()))
  const counts = await countsOf(folder.data, load.databaseUrl)
  const answered = statuses.filter((status) => status === 200).length
  const refused = statuses.filter((status) => status === 402).length
  const others = statuses.filter((status) => status !== 200 && status !== 402)
  return { answered, refused, others, billed: bill.nanos, cap: load.capUsd * NANOS, ...counts }
}

/** Bills a random part of what each call may cost. */
function billing(fake: FakeProvider): { nanos: number } {
  const bill = { nanos: 0 }
  fake.always((request, response) => {
    const { max_tokens } = request.body as { max_tokens: number }
    const completion_tokens = Math.ceil(Math.random() * max_tokens)
    bill.nanos += PROMPT_TOKENS * NANOS_PER_INPUT + completion_tokens * NANOS_PER_OUTPUT
    const total_tokens = PROMPT_TOKENS + completion_tokens
    return answer({ usage: { prompt_tokens: PROMPT_TOKENS, completion_tokens, total_tokens } })(request, response)
  })
  return bill
}

function configOf(url: string, limit: number) {
  const models = [{ id: 'priced', price: { input: 1, output: 2 }, output: 100_000 }]
  const fake = { dialect: 'openai', baseUrl: url, auth: { scheme: 'bearer', env: 'FAKE_API_KEY' }, models }
  const budget = { id: BUDGET, appliesTo: 'all', limit, window: 'total', onExceeded: 'refuse' }
  return { providers: { fake }, budgets: [budget] }
}

type Place = { config: string; dataDir: string }

function startAll(load: LimitedLoad, { config, dataDir }: Place, closing: AsyncDisposableStack) {
  const settings = {
    GATEHOUSE_CONFIG: config,
    DATA_DIR: dataDir,
    GATEHOUSE_API_KEY: API_KEY,
    GATEHOUSE_ADMIN_KEY: ADMIN_KEY,
    FAKE_API_KEY: 'plain.words.as.a.key',
    WORKERS: String(load.workers),
    LOG_LEVEL: 'info',
    ...(load.databaseUrl && { DATABASE_URL: load.databaseUrl }),
  }
  return Promise.all(Array.from({ length: load.gateways }, () => started(settings, closing)))
}

async function started(settings: Parameters<typeof startProcess>[0], closing: AsyncDisposableStack) {
  const gateway = await startProcess(settings)
  closing.defer(() => void gateway.child.kill('SIGKILL'))
  return gateway
}

/** All calls, in some lanes at the same time. Returns the status of each. */
async function send(gateways: readonly GatewayProcess[], calls: number): Promise<number[]> {
  const statuses: number[] = []
  let sent = 0
  const lanes = Array.from({ length: CLIENTS }, async (_, lane) => {
    while (sent++ < calls) statuses.push(await chat(gateways[lane % gateways.length]!.url))
  })
  await Promise.all(lanes)
  return statuses
}

/**
 * The last calls of many at once are refused while others run that will use less than they have reserved. So one after the other
 * follows, each on a connection of its own and so at another process, until all of them are refused.
 */
async function sendRest(gateways: readonly GatewayProcess[]): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < REST_CALLS && !areRefused(statuses.slice(-REFUSED_AT_END)))
    statuses.push(await chat(gateways[statuses.length % gateways.length]!.url, { connection: 'close' }))
  return statuses
}

function areRefused(statuses: readonly number[]): boolean {
  return statuses.length === REFUSED_AT_END && statuses.every((status) => status === 402)
}

/** May cost 0.2 to 2.8 thousandths of a dollar. */
async function chat(url: string, more: Record<string, string> = {}): Promise<number> {
  const max_tokens = 100 + Math.floor(Math.random() * 1_300)
  const body = JSON.stringify({ model: 'fake/priced', messages: [{ role: 'user', content: 'hi' }], max_tokens })
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...more }
  const response = await fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return response.status
}

/** Every question for a lease changes the row of the window, also one that gets nothing. */
async function countsOf(dataDir: string, databaseUrl: string | undefined) {
  const db = await openDatabase({ dataDir, databaseUrl })
  try {
    const [window] = await db.query<{ spent: number; changes: number }>(
      'SELECT spent, changes FROM limit_windows WHERE limit_id = $1',
      [BUDGET],
    )
    const [leases] = await db.query<{ count: number }>('SELECT COUNT(*) AS count FROM limit_leases')
    const differing = (await chargedWindows(db, 0)).filter(({ spent, charged }) => spent !== charged).length
    const { spent, changes } = window!
    return { spent: Number(spent), questions: Number(changes) + 1, leasesLeft: Number(leases!.count), differing }
  } finally {
    await db.close()
  }
}
