import type { Logger } from 'pino'
import type { Database } from '../store/database.ts'
import type { NewDelivery } from '../store/deliveries.ts'
import { type ClaimedJob, finishJob } from '../store/job-runs.ts'
import { whileUnavailable } from '../store/while-unavailable.ts'
import { NotJson, refuseNotJson } from '../webhooks/canonical-json.ts'
import type { FinishedJob } from '../webhooks/payload.ts'
import type { Announced } from '../webhooks/prepare-delivery.ts'
import type { Outcome } from './outcome.ts'

const UNWRITABLE = 'The result of this job cannot be written as JSON.'

/** A result may have been paid for: it is worth some trouble to get it stored. */
const STORE_FOR_MS = 60_000
const STORE_PAUSE_MS = 250

export type Finishing = {
  db: Database
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  prepareDelivery(announced: Announced): Promise<NewDelivery>
}

/** Writes the end of a job with its webhook; false when the job is no longer this attempt's. */
export async function finish(
  { db, log, prepareDelivery }: Finishing,
  job: ClaimedJob,
  given: Outcome,
  finishedAt: number,
): Promise<boolean> {
  const outcome = writable(given, job)
  const { output = null, error = null } = outcome as { output?: unknown; error?: string }
  const { cost = null, provider = job.provider, model = job.model, original } = outcome
  const run = { ...fenceOf(job), status: outcome.status, output, error, cost, provider, model, original, finishedAt }
  const delivery = await announce({ ...run, outcome })
  return whileUnavailable(() => finishJob(db, run, delivery), { pauseMs: STORE_PAUSE_MS, forMs: STORE_FOR_MS })
}
