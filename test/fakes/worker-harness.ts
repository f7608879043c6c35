import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Execute } from '../../src/jobs/run-job.ts'
import { openWorker, type WorkerOptions } from '../../src/jobs/worker.ts'
import type { Database } from '../../src/platform/store/database.ts'
import { claimDeliveries } from '../../src/platform/store/deliveries/deliveries.ts'
import { getJob, type NewJob, submitJob } from '../../src/platform/store/jobs/jobs.ts'
import { prepareDelivery } from '../../src/jobs/webhooks/prepare-delivery.ts'
import { openSigner } from '../../src/jobs/webhooks/signature.ts'
import { eventLog } from './event-log.ts'
import { newJob } from './new-job.ts'
import { closer } from './stores.ts'
import { HOUR_MS } from '../../src/base/units/units.ts'

export const NEVER_MS = HOUR_MS
// A short key is a quick one; the lengths that are really used are in the tests of the published verifiers.
const signer = openSigner(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)

export const WEBHOOK = { url: 'https://receiver.example/hook' }
export const DONE = { status: 'success', output: { ok: true }, provider: 'sandbox', model: 'echo' } as const
export const echo: Execute = async () => DONE

type Setting = Partial<WorkerOptions> & { wrap?: (db: Database) => Database; closed?: boolean }

/** A worker on a store, and what a test asks of both. It does not outlive the test. */
export function startWorker(t: TestContext, db: Database, { wrap = (same) => same, closed, ...setting }: Setting) {
  const closing = closer(t)
  const log = eventLog()
  let woken = 0
  let worker: ReturnType<typeof openWorker>
  if (!closed) open({})
  return { log, open, submit, find, webhook, worker: () => worker, wokenDeliverer: () => woken }

  function open(more: Partial<WorkerOptions>) {
    worker = openWorker({
      db: wrap(db),
      log,
      execute: echo,
      prepareDelivery: (announced) => prepareDelivery(announced, { signer, newId: randomUUID }),
      wakeDeliverer: () => woken++,
      deadlineMs: NEVER_MS,
      concurrency: 8,
      workerId: randomUUID(),
      ...setting,
      ...more,
      timing: { pollMs: 10, graceMs: 0, ...setting.timing, ...more.timing },
    })
    closing.defer(worker.close)
  }

  async function submit(parts: Partial<NewJob>): Promise<NewJob> {
    const job = newJob(parts)
    await submitJob(db, job)
    worker?.wake()
    return job
  }

  async function find(id: string) {
    return (await getJob(db, 'owner', id))!
  }

  /** The payload of the one webhook there is. */
  async function webhook() {
    const [delivery] = await claimDeliveries(db, { limit: 1, leaseMs: 0, perReceiver: 1 })
    return JSON.parse(Buffer.from(delivery!.body!).toString())
  }
}
