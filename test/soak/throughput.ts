import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openWorker } from '../../src/jobs/worker.ts'
import type { Database } from '../../src/store/database.ts'
import { openDatabase } from '../../src/store/open-database.ts'
import { submitJob } from '../../src/store/jobs.ts'
import { migrate } from '../../src/store/migrations.ts'
import { prepareDelivery } from '../../src/webhooks/prepare-delivery.ts'
import { openSigner } from '../../src/webhooks/signature.ts'
import { newJob } from '../fakes/new-job.ts'
import { startPostgres } from '../fakes/postgres.ts'

// How many empty jobs per second go from submission to their stored end, and how long a submission takes at half that rate:
// `node test/soak/throughput.ts`. Both databases sync to the disk at every commit, as in production.

const JOBS = 4_000
const SUBMITTERS = 20
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
  const flow = openFlow(db)
  const plain = await fullSpeed(flow, {})
  const announced = await fullSpeed(flow, { webhook: { url: 'https://receiver.example/' } })
  const [target, half] = [await atRate(flow, TARGET_PER_SECOND / 2), await atRate(flow, plain / 2)]
  console.log(`${db.kind}: ${plain.toFixed(0)} jobs/s end to end, ${announced.toFixed(0)} with a signed webhook each`)
  for (const { rate, p50, p99 } of [target, half])
    console.log(`  at ${rate.toFixed(0)}/s a submission takes ${p50.toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99)`)
  await flow.close()
  await db.close()
}

function openFlow(db: Database) {
  const ended = new Map<string, () => void>()
  const log = { info: ({ job }: { job?: string }) => ended.get(job!)?.(), warn() {}, error: console.error }
  const worker = openWorker({
    db,
    log,
    execute: async () => ({ status: 'success', output: { text: 'done' }, cost: 0, provider: 'sandbox', model: null }),
    prepareDelivery: (announced) => prepareDelivery(announced, { signer, newId: randomUUID }),
    deadlineMs: 600_000,
    concurrency: 32,
    workerId: 'throughput',
  })
  return { submit, close: worker.close }

  /** Returns how long the submission took, and the end of the job. */
  async function submit(parts: Parameters<typeof newJob>[0]) {
    const job = newJob({ owner: `owner-${Math.floor(Math.random() * 20)}`, ...parts })
    const { promise, resolve } = Promise.withResolvers<void>()
    ended.set(job.id, resolve)
    const startedAt = performance.now()
    await submitJob(db, job)
    worker.wake()
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
