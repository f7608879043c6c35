import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openWorker } from '../../src/jobs/worker.ts'
import type { Database } from '../../src/platform/store/database.ts'
import { openDatabase } from '../../src/platform/store/open-database.ts'
import { submitJob } from '../../src/platform/store/jobs/jobs.ts'
import type { LedgerLine } from '../../src/platform/store/ledger/ledger-line.ts'
import { rollUpAll } from '../../src/platform/store/ledger/roll-up-batches.ts'
import { migrate } from '../../src/platform/store/migrations.ts'
import { prepareDelivery } from '../../src/jobs/webhooks/prepare-delivery.ts'
import { openSigner } from '../../src/jobs/webhooks/signature.ts'
import { insertUsage } from '../../src/platform/store/ledger/usage.ts'
import { ledgerLine } from '../fakes/ledger-line.ts'
import { newJob } from '../fakes/new-job.ts'
import { startPostgres } from '../fakes/postgres.ts'
import { type Cost, costOf } from './store-cost.ts'

// What a ledger line and an empty job cost, how many of them go through per second, and how long the submission of a job takes
// at half that rate: `node test/soak/throughput.ts`, with `lines` or `jobs` for one of them. Both databases sync to the disk
// at every commit, as in production. docs/scaling.md has the figures.

const LINES = 100_000
const LINES_OF_BATCH = 500
const WRITERS = [1, 4]
const JOBS = 4_000
const SUBMITTERS = 64
const WORKERS = 2
const TARGET_PER_SECOND = 300
const PACED_SECONDS = 8
const TICK_MS = 10

await using closing = new AsyncDisposableStack()
const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-throughput-'))
closing.defer(() => rm(dataDir, { recursive: true }))
const signer = openSigner(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)

await measure(await openDatabase({ dataDir }))
const postgres = await startPostgres({ fsync: true })
if ('skip' in postgres) console.log(`PostgreSQL is left out: ${postgres.skip}`)
else {
  closing.defer(postgres.stop)
  await measure(await openDatabase({ databaseUrl: postgres.url, dataDir: '' }))
}

async function measure(db: Database) {
  await migrate(db)
  if (isWanted('lines')) await measureLines(db)
  if (isWanted('jobs')) await measureJobs(db)
  await db.close()
}

function isWanted(part: string): boolean {
  return process.argv.length <= 2 || process.argv.includes(part)
}

/** Writers as those of several processes, while one of them rolls up what they have written. */
async function measureLines(db: Database) {
  for (const writers of WRITERS) {
    let left = LINES / LINES_OF_BATCH
    const writer = async () => {
      while (left-- > 0) await insertUsage(db, Array.from({ length: LINES_OF_BATCH }, newLine))
    }
    const inserted = await costOf(db, () => Promise.all(Array.from({ length: writers }, writer)))
    const rolledUp = await costOf(db, () => rollUpAll(db))
    console.log(`${db.kind}, lines, ${writers} writers: ${perSecond(LINES, inserted)} lines/s`)
    for (const [what, cost] of Object.entries({ inserted, 'rolled up': rolledUp }))
      console.log(`  a line ${what} takes ${each(LINES, cost)}`)
  }
}

let lines = 0

/** Values as in test/soak/large-ledger.ts: 1,000 keys, 200 projects, 61 models, 1,500 end users, 40 values of a tag. */
function newLine(): LedgerLine {
  const i = lines++
  const hasLabels = i % 2 === 0
  return ledgerLine({
    id: randomUUID(),
    at: Date.now(),
    keyId: `key_${(i * 7919) % 1000}`,
    organization: 'default',
    project: `project_${(i * 7919) % 200}`,
    ownerId: `project_${(i * 7919) % 200}`,
    endpoint: ['chat', 'messages', 'responses'][i % 3]!,
    model: `provider/model_${(i * 31) % 61}`,
    provider: `provider_${i % 12}`,
    requestedModel: `alias_${i % 20}`,
    status: i % 97 === 0 ? 502 : 200,
    code: i % 97 === 0 ? 'upstream_error' : null,
    durationMs: (i * 101) % 30_011,
    promptTokens: (i * 13) % 4_001,
    completionTokens: (i * 17) % 997,
    cost: (i % 1_003) / 1e6,
    endUser: hasLabels ? `eu_${(i * 31) % 1500}` : null,
    tags: hasLabels ? { team: `t${i % 40}` } : null,
    detail: {
      a: [[null, null, 'main', 'answered', 200, `up-${i}`, null, 120.5, 480.1, null]],
      c: { input: 0.000_12, output: 0.0004 },
    },
  })
}

async function measureJobs(db: Database) {
  const flow = openFlow(db)
  let plain = 0
  const cost = await costOf(db, async () => {
    plain = await fullSpeed(flow, {})
  })
  const announced = await fullSpeed(flow, { webhook: { url: 'https://receiver.example/' } })
  const [target, half] = [await atRate(flow, TARGET_PER_SECOND / 2), await atRate(flow, plain / 2)]
  console.log(`${db.kind}: ${plain.toFixed(0)} jobs/s end to end, ${announced.toFixed(0)} with a signed webhook each`)
  console.log(`  a job takes ${each(JOBS, cost)}`)
  for (const { rate, p50, p99 } of [target, half])
    console.log(`  at ${rate.toFixed(0)}/s a submission takes ${p50.toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99)`)
  await flow.close()
}

function perSecond(count: number, { ms }: Cost): string {
  return ((count / ms) * 1_000).toFixed(0)
}

function each(count: number, { processCpuMs, serverCpuMs, walBytes }: Cost): string {
  const micros = (ms: number) => `${((ms / count) * 1_000).toFixed(0)} µs`
  return `${micros(processCpuMs)} of this process, ${micros(serverCpuMs)} of the server, ${(walBytes / count).toFixed(0)} bytes of WAL`
}

function openFlow(db: Database) {
  const ended = new Map<string, () => void>()
  const log = { info: ({ job }: { job?: string }) => ended.get(job!)?.(), warn() {}, error: console.error }
  const workers = Array.from({ length: WORKERS }, (_, index) =>
    openWorker({
      db,
      log,
      execute: async () => ({ status: 'success', output: { text: 'done' }, cost: 0, provider: 'sandbox', model: null }),
      prepareDelivery: (announced) => prepareDelivery(announced, { signer, newId: randomUUID }),
      deadlineMs: 600_000,
      concurrency: 32,
      workerId: `throughput-${index}`,
    }),
  )
  return { submit, close: () => Promise.all(workers.map((worker) => worker.close())) }

  /** Returns how long the submission took, and the end of the job. */
  async function submit(parts: Parameters<typeof newJob>[0]) {
    const job = newJob({ owner: `owner-${Math.floor(Math.random() * 20)}`, ...parts })
    const { promise, resolve } = Promise.withResolvers<void>()
    ended.set(job.id, resolve)
    const startedAt = performance.now()
    await submitJob(db, job)
    for (const worker of workers) worker.wake()
    const done = promise.then(() => ended.delete(job.id))
    return { took: performance.now() - startedAt, done }
  }
}

async function fullSpeed({ submit }: ReturnType<typeof openFlow>, parts: Parameters<typeof newJob>[0]) {
  const startedAt = performance.now()
  let left = JOBS
  const submitter = async () => {
    while (left-- > 0) await (await submit(parts)).done
  }
  await Promise.all(Array.from({ length: SUBMITTERS }, submitter))
  return (JOBS / (performance.now() - startedAt)) * 1_000
}

async function atRate({ submit }: ReturnType<typeof openFlow>, rate: number) {
  const startedAt = performance.now()
  const submissions: ReturnType<typeof submit>[] = []
  for (let passed = 0; passed < PACED_SECONDS; passed = (performance.now() - startedAt) / 1_000) {
    while (submissions.length < passed * rate) submissions.push(submit({}))
    await sleep(TICK_MS)
  }
  const all = await Promise.all(submissions)
  await Promise.all(all.map(({ done }) => done))
  const times = all.map(({ took }) => took).sort((one, other) => one - other)
  return { rate, p50: times[Math.floor(times.length / 2)]!, p99: times[Math.floor(times.length * 0.99)]! }
}
