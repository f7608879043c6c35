import { createPrivateKey, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { openWorker } from '../../src/jobs/worker.ts'
import { openDatabase } from '../../src/platform/store/open-database.ts'
import { submitJob } from '../../src/platform/store/jobs/jobs.ts'
import { openDeliverer } from '../../src/jobs/webhooks/deliverer.ts'
import { prepareDelivery } from '../../src/jobs/webhooks/prepare-delivery.ts'
import { openSigner } from '../../src/jobs/webhooks/signature.ts'
import { newJob } from '../fakes/new-job.ts'
import { plainPost } from '../fakes/webhook-receiver.ts'

// The process that gets killed. It submits jobs, runs them and delivers their webhooks, with very short intervals. It
// reports each submission only when the store has it, and runs until it is stopped.

export type ChildSettings = {
  databaseUrl?: string
  dataDir: string
  keyFile: string
  receiverUrl: string
  /** How many jobs to submit. */
  submit: number
  /** Whether to run jobs too, or only deliver webhooks. */
  work: boolean
}

const LEASE_MS = 300
const TIMING = { leaseMs: LEASE_MS, heartbeatMs: 60, sweepMs: 60, pollMs: 15, graceMs: 0 }
const SUBMITTERS = 4

const settings: ChildSettings = JSON.parse(process.argv[2]!)
const silent = { info() {}, warn() {}, error() {} }
const db = await openDatabase(settings)
const signer = openSigner(createPrivateKey(readFileSync(settings.keyFile)))
const deliverer = openDeliverer({
  db,
  signer,
  log: silent,
  post: plainPost,
  holdMemory: async () => () => {},
  timing: TIMING,
  delaysMs: [10, 20, 30],
})
const worker = settings.work ? startWorker() : undefined
flushCompileCache()
process.stdout.write('ready\n')
let left = settings.submit
await Promise.all(Array.from({ length: SUBMITTERS }, submitSome))
process.stdout.write('submitted\n')

function startWorker() {
  return openWorker({
    db,
    log: silent,
    execute: async ({ request }) => ({
      status: 'success',
      output: { request },
      cost: 0,
      provider: 'sandbox',
      model: null,
    }),
    prepareDelivery: (announced) => prepareDelivery(announced, { signer, newId: randomUUID }),
    wakeDeliverer: deliverer.wake,
    deadlineMs: 600_000,
    concurrency: 8,
    workerId: String(process.pid),
    timing: TIMING,
  })
}

async function submitSome() {
  while (left-- > 0) {
    const job = newJob({
      owner: `owner-${left % 3}`,
      webhook: { url: settings.receiverUrl },
      userParameters: JSON.stringify({ n: left }),
    })
    await submitJob(db, job)
    process.stdout.write(`${job.id}\n`)
    worker?.wake()
  }
}
