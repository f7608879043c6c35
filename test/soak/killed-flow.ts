import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/platform/store/database.ts'
import { openDatabase } from '../../src/platform/store/open-database.ts'
import { migrate } from '../../src/platform/store/migrations.ts'
import { startReceiver } from '../fakes/webhook-receiver.ts'
import type { ChildSettings } from './flow-child.ts'

// Jobs and webhooks go through a process that is killed again and again. Every job that it reported as submitted has to end
// exactly once, and its webhook has to arrive.

const CHILD = new URL('./flow-child.ts', import.meta.url).pathname
const LOOK_AGAIN_MS = 20

export type FlowOptions = {
  jobs: number
  kills: number
  /** The maximum time from the start of a process until it is killed. */
  lifeMs: number
  /** All jobs are submitted and run first, so that only the delivery of webhooks is killed. */
  deliveriesOnly?: boolean
  databaseUrl?: string
  endWithinMs: number
}

export type FlowReport = {
  acknowledged: number
  lost: number
  stuck: number
  changedAfterEnd: number
  failed: number
  deliveriesLost: number
  deliveriesRepeated: number
  repetitionsThatDiffer: number
  executedAgain: number
  seconds: number
}

type Row = {
  id: string
  state: string
  attempt: number
  executions: number
  finished: number | null
  output: string | null
}

export async function killedFlow(options: FlowOptions): Promise<FlowReport> {
  await using closing = new AsyncDisposableStack()
  const startedAt = performance.now()
  const gateway = await setUp(closing, options)
  const ends = new Map<string, string>()
  let changedAfterEnd = 0
  if (options.deliveriesOnly) await prepareDeliveries(gateway, options)
  gateway.receiver.received.length = 0
  for (let kills = 0; kills < options.kills; kills++) {
    const left = options.jobs - gateway.acknowledged.length
    const share = Math.min(left, Math.ceil(left / Math.max(1, options.kills - kills)))
    await liveAndDie(gateway, { submit: share, work: !options.deliveriesOnly }, Math.random() * options.lifeMs)
    changedAfterEnd += await compareEnds(gateway.db, ends)
  }
  await finishAll(gateway, options)
  changedAfterEnd += await compareEnds(gateway.db, ends)
  return {
    ...(await report(gateway)),
    changedAfterEnd,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  }
}

type FlowGateway = {
  db: Database
  receiver: Awaited<ReturnType<typeof startReceiver>>
  settings: Omit<ChildSettings, 'submit' | 'work'>
  acknowledged: string[]
}

async function setUp(closing: AsyncDisposableStack, { databaseUrl }: FlowOptions): Promise<FlowGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-flow-'))
  closing.defer(() => rm(dataDir, { recursive: true }))
  const db = await openDatabase({ dataDir, databaseUrl })
  closing.defer(db.close)
  await migrate(db)
  const receiver = await startReceiver()
  closing.defer(receiver.stop)
  const keyFile = join(dataDir, 'key.pem')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const settings = { dataDir, keyFile, receiverUrl: receiver.url, ...(databaseUrl ? { databaseUrl } : {}) }
  return { db, receiver, settings, acknowledged: [] }
}

/** Starts a process, lets it work for a while, and kills it without a warning. */
async function liveAndDie(gateway: FlowGateway, share: Pick<ChildSettings, 'submit' | 'work'>, lifeMs: number) {
  const child = start(gateway, share)
  await child.ready
  await sleep(lifeMs)
  child.process.kill('SIGKILL')
  await child.gone
}

function start(gateway: FlowGateway, share: Pick<ChildSettings, 'submit' | 'work'>) {
  const settings: ChildSettings = { ...gateway.settings, ...share }
  const child = spawn(process.execPath, [CHILD, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // There are hundreds of starts: the first one compiles for all, if `npm test` has not done so.
    env: { NODE_COMPILE_CACHE: join(gateway.settings.dataDir, 'compiled'), ...process.env },
  })
  const [ready, submitted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lines = createInterface(child.stdout!)
  lines.on('line', (line) => {
    if (line === 'ready') ready.resolve()
    else if (line === 'submitted') submitted.resolve()
    // A line that the kill has cut off was not acknowledged.
    else if (line.length === 36) gateway.acknowledged.push(line)
  })
  const gone = Promise.all([once(child, 'exit'), once(lines, 'close')])
  for (const { promise, reject } of [ready, submitted]) {
    void gone.then(() => reject(new Error('The process ended before it was told to')))
    promise.catch(() => {})
  }
  return { process: child as ChildProcess, ready: ready.promise, submitted: submitted.promise, gone }
}

/** Runs all jobs, and makes their webhooks due again. */
async function prepareDeliveries(gateway: FlowGateway, options: FlowOptions) {
  await finishAll(gateway, options)
  await gateway.db.query(`UPDATE deliveries SET state = 'pending', attempts = 0, settled_at = NULL, next_at = 0`)
}

/** Starts one more process, which is not killed before everything has ended. */
async function finishAll(gateway: FlowGateway, { jobs, endWithinMs }: FlowOptions) {
  const child = start(gateway, { submit: jobs - gateway.acknowledged.length, work: true })
  await child.submitted
  for (let waited = 0; waited < endWithinMs && (await unfinished(gateway.db)) > 0; waited += LOOK_AGAIN_MS)
    await sleep(LOOK_AGAIN_MS)
  child.process.kill('SIGKILL')
  await child.gone
}

async function unfinished(db: Database): Promise<number> {
  const [row] = await db.query<{ open: number }>(
    `SELECT (SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL)
      + (SELECT COUNT(*) FROM deliveries WHERE state = 'pending') AS "open"`,
  )
  return row!.open
}

/** Remembers how jobs ended, and counts those whose end has changed since the last look. */
async function compareEnds(db: Database, ends: Map<string, string>): Promise<number> {
  let changed = 0
  const rows = await allJobs(db)
  const present = new Set(rows.map(({ id }) => id))
  for (const id of ends.keys()) if (!present.has(id)) changed++
  for (const row of rows.filter(({ finished }) => finished !== null)) {
    const end = JSON.stringify(row)
    if ((ends.get(row.id) ?? end) !== end) changed++
    ends.set(row.id, end)
  }
  return changed
}

function allJobs(db: Database): Promise<Row[]> {
  return db.query<Row>(
    `SELECT id, state, attempt, executions, finished_at AS "finished", output
     FROM jobs LEFT JOIN job_results ON job_results.job_id = jobs.id`,
  )
}

async function report({ db, receiver, acknowledged }: FlowGateway) {
  const jobs = new Map((await allJobs(db)).map((job) => [job.id, job]))
  const bodies = new Map<string, Buffer[]>()
  for (const { body } of receiver.received) {
    const { job_id: id } = JSON.parse(body.toString())
    bodies.set(id, [...(bodies.get(id) ?? []), body])
  }
  const all = [...bodies.values()]
  assert.equal(new Set(acknowledged).size, acknowledged.length)
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !jobs.has(id)).length,
    stuck: [...jobs.values()].filter(({ finished }) => finished === null).length,
    failed: [...jobs.values()].filter(({ state }) => state === 'fail').length,
    executedAgain: [...jobs.values()].filter(({ executions }) => executions > 1).length,
    deliveriesLost: [...jobs.keys()].filter((id) => !bodies.has(id)).length,
    deliveriesRepeated: all.reduce((sum, { length }) => sum + length - 1, 0),
    repetitionsThatDiffer: all.filter(([first, ...more]) => more.some((body) => !body.equals(first!))).length,
  }
}
