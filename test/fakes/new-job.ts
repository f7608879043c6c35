import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/platform/store/database.ts'
import type { NewDelivery } from '../../src/platform/store/deliveries/deliveries.ts'
import { type Claim, type ClaimedJob, claimJobs, type FinishedRun } from '../../src/platform/store/jobs/job-runs.ts'
import { type NewJob, submitJob } from '../../src/platform/store/jobs/jobs.ts'
import { ledgerLine } from './ledger-line.ts'
import { DAY_MS } from '../../src/base/units/units.ts'
import { ownerNamed } from './owners.ts'

const AT_ONCE = 50

/** A lease that has already expired when it is granted. */
export const OVER_AT_ONCE_MS = -1

export const CLAIM = { worker: 'worker', limit: 10, leaseMs: DAY_MS, deadlineMs: DAY_MS, maxExecutions: 3 }

export function newJob(parts: Partial<NewJob> = {}): NewJob {
  const address = { feature: 'text', subfeature: 'moderation', provider: 'sandbox', model: null }
  const rest = {
    request: { input: { text: 'hello' } },
    showOriginal: false,
    webhook: null,
    userParameters: null,
    idempotency: null,
  }
  return { id: randomUUID(), ...ownerNamed('owner'), keyId: 'key', ...address, ...rest, ...parts }
}

export function success({ id, attempt }: ClaimedJob, parts: Partial<FinishedRun> = {}): FinishedRun {
  const about = { cost: 0.25, provider: 'sandbox', model: 'echo', finishedAt: Date.now() }
  const result = { status: 'success', output: { ok: true }, error: null, original: undefined } as const
  return { id, attempt, ...result, ...about, line: ledgerLine({ id, cost: about.cost }), ...parts }
}

export function newDelivery(parts: Partial<NewDelivery> = {}): NewDelivery {
  const signed = { body: new Uint8Array([0, 123, 255]), signature: 'abcd', keyId: '0123456789abcdef' }
  const place = { url: 'https://receiver.example/hook?token=secret', receiver: 'receiver.example' }
  return { id: randomUUID(), jobId: randomUUID(), ...place, ...signed, ...parts }
}

export async function submitMany(db: Database, count: number, parts: Partial<NewJob>) {
  for (let done = 0; done < count; done += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, () => submitJob(db, newJob(parts))))
}

/** Claims the only available job. */
export async function claimOne(db: Database, parts: Partial<Claim> = {}): Promise<ClaimedJob> {
  const [job, ...more] = await claimJobs(db, { ...CLAIM, ...parts })
  assert.ok(job && more.length === 0)
  return job
}
