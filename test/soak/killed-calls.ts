import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toNanos } from '../../src/platform/store/ledger/money.ts'
import { chargedWindows } from '../../src/platform/store/limits/window-sums.ts'
import { openDatabase } from '../../src/platform/store/open-database.ts'
import { startProcess, temporaryFolder } from '../gateway/gateway-process.ts'
import { ADMIN_KEY, API_KEY } from '../gateway/gateway-under-test.ts'
import { answer, type Behaviour, status } from '../fakes/behaviours.ts'
import { PNG_IMAGE, USAGE } from '../fakes/images.ts'
import { textEvents } from '../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { stream } from '../fakes/stream.ts'

// Gateways are killed while providers work on calls of every kind. Every request that the provider got has to have exactly one
// ledger line after the next start, and the budget has to be charged with all of them.

const LOOK_AGAIN_MS = 10
const CLIENTS = 8
const BUDGET = 'killed'

export type KilledCallsOptions = {
  kills: number
  /** How long calls are begun before a kill, and how long the kill waits after that, at most. */
  lifeMs: number
  databaseUrl?: string | undefined
  hasBudget: boolean
}

type KilledCallsReport = {
  /** Requests that the provider got, and those of them that were interrupted. */
  received: number
  interrupted: number
  missing: string[]
  repeated: string[]
  /** Lines of interrupted calls that do not say what they have to. */
  wrong: object[]
  /** Windows whose sums are not those of the ledger, and the difference between what they say and what the lines cost. */
  differing: number
  uncharged: number
}

type Line = {
  id: string
  call: string
  code: string | null
  status: number
  estimated: number
  model: string
  cost: number | null
  charges: string | null
}

export async function killedCalls(options: KilledCallsOptions): Promise<KilledCallsReport> {
  await using closing = new AsyncDisposableStack()
  const folder = await temporaryFolder()
  closing.defer(folder.remove)
  const fake = await startFakeProvider({ everyPath: true })
  closing.defer(fake.close)
  const env = await environment(folder, fake.url, options)
  for (let kills = 0; kills < options.kills; kills++) await liveAndDie(env, fake, options)
  const last = await startProcess(env)
  while (filesIn(env.DATA_DIR).length > 0) await sleep(LOOK_AGAIN_MS)
  await last.stop()
  return await report(env.DATA_DIR, fake, options)
}

type Environment = Record<string, string> & { DATA_DIR: string }

async function environment(
  folder: { path: string; data: string },
  url: string,
  options: KilledCallsOptions,
): Promise<Environment> {
  const file = join(folder.path, 'gatehouse.config.json')
  const budget = { id: BUDGET, appliesTo: 'all', limit: 1_000, window: 'total', onExceeded: 'refuse' }
  await writeFile(file, JSON.stringify({ budgets: options.hasBudget ? [budget] : [] }))
  const keys = { GATEHOUSE_API_KEY: API_KEY, GATEHOUSE_ADMIN_KEY: ADMIN_KEY, OPENAI_API_KEY: 'sk-x' }
  const where = { DATA_DIR: folder.data, ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }) }
  return { ...keys, ...where, GATEHOUSE_CONFIG: file, OPENAI_BASE_URL: url, LOG_LEVEL: 'info' }
}

const MESSAGES = (call: string) => [{ role: 'user', content: call }]
const KINDS = [
  { path: 'chat/completions', body: (call: string) => ({ model: 'openai/gpt-4.1-nano', messages: MESSAGES(call) }) },
  {
    path: 'chat/completions',
    body: (call: string) => ({ model: 'openai/gpt-4.1-nano', messages: MESSAGES(call), stream: true }),
  },
  { path: 'images/generations', body: (call: string) => ({ model: 'openai/gpt-image-2', prompt: call }) },
  { path: 'audio/speech', body: (call: string) => ({ model: 'openai/tts-1', input: call, voice: 'alloy' }) },
]

const DRAWN = { created: 1, data: [{ b64_json: PNG_IMAGE.toString('base64') }], usage: USAGE }

/** Answers after a random time, which may be longer than the process lives. */
function providing(lifeMs: number): Behaviour {
  return async (request, response) => {
    const waitMs = Math.random() * 2 * lifeMs
    if (request.path.endsWith('/chat/completions')) {
      const isStream = (request.body as { stream?: boolean }).stream
      if (isStream) return await stream(textEvents('word '.repeat(20)), { pauseMs: waitMs / 20 })(request, response)
      await sleep(waitMs)
      return await answer()(request, response)
    }
    await sleep(waitMs)
    if (request.path.endsWith('/images/generations')) return await status(200, DRAWN)(request, response)
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('not really sound')
  }
}

let calls = 0

async function liveAndDie(env: Environment, fake: FakeProvider, { lifeMs }: KilledCallsOptions) {
  fake.always(providing(lifeMs))
  await using closing = new AsyncDisposableStack()
  const gateway = await startProcess(env)
  closing.defer(() => void gateway.child.kill('SIGKILL'))
  const stopping = new AbortController()
  closing.defer(() => stopping.abort())
  const open = new Set<string>()
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    for (let turn = index; !stopping.signal.aborted; turn++) {
      const call = `call-${++calls}`
      open.add(call)
      await ask(gateway.url, call, KINDS[turn % KINDS.length]!).catch(() => undefined)
      open.delete(call)
    }
  })
  // A kill before the provider got anything would show nothing.
  await fake.request(fake.requests.length + CLIENTS - 1)
  await sleep(Math.random() * lifeMs)
  stopping.abort()
  // A call is noted some milliseconds after its request was written. From then on, it has exactly one line.
  while ([...open].some((call) => !isNoted(call, env.DATA_DIR))) await sleep(LOOK_AGAIN_MS)
  await sleep(Math.random() * (lifeMs / 4))
  gateway.child.kill('SIGKILL')
  await gateway.ended
  await Promise.all(clients)
}

async function ask(url: string, call: string, { path, body }: (typeof KINDS)[number]): Promise<void> {
  const headers = {
    authorization: `Bearer ${API_KEY}`,
    'content-type': 'application/json',
    'x-gatehouse-tags': `call=${call}`,
  }
  const response = await fetch(`${url}/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body(call)) })
  await response.arrayBuffer()
}

function isNoted(call: string, dataDir: string): boolean {
  return filesIn(dataDir).some((path) => path.endsWith('.in-flight') && textOf(path).includes(`"${call}"`))
}

/** A file may have been replaced by another one. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function filesIn(dataDir: string): string[] {
  const folder = join(dataDir, 'ledger')
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl') || name.endsWith('.in-flight'))
  return names.map((name) => join(folder, name))
}

async function report(dataDir: string, fake: FakeProvider, options: KilledCallsOptions): Promise<KilledCallsReport> {
  const db = await openDatabase({ dataDir, databaseUrl: options.databaseUrl })
  await using closing = new AsyncDisposableStack()
  closing.defer(db.close)
  const rows = await db.query<Omit<Line, 'call'> & { tags: string }>(
    'SELECT id, tags, code, status, estimated, model, cost_nanos AS "cost", charges FROM usage',
  )
  const lines = rows.map((row): Line => ({ ...row, call: JSON.parse(row.tags).call }))
  const received = fake.requests.map(({ text }) => /call-\d+/.exec(text)![0])
  const interrupted = lines.filter(({ code }) => code === 'interrupted')
  const windows = await chargedWindows(db, 0)
  const spent = windows.reduce((sum, { spent }) => sum + Number(spent), 0)
  const billed = lines.reduce((sum, { cost }) => sum + Number(cost), 0)
  return {
    received: received.length,
    interrupted: interrupted.length,
    missing: received.filter((call) => !lines.some((line) => line.call === call)),
    repeated: received.filter((call) => lines.filter((line) => line.call === call).length > 1),
    wrong: interrupted.filter((line) => !isRight(line, options)),
    differing: windows.filter(({ spent, charged }) => Number(spent) !== Number(charged)).length,
    uncharged: options.hasBudget ? billed - spent : 0,
  }
}

function isRight({ status, estimated, cost, charges, model }: Line, { hasBudget }: KilledCallsOptions): boolean {
  const isCharged = !hasBudget || (charges !== null && JSON.parse(charges)[0][3] > 0)
  const isPriced = Number(cost) > 0 && Number(cost) <= toNanos(1)!
  return status === 500 && Number(estimated) === 1 && isPriced && isCharged && model.startsWith('openai/')
}
