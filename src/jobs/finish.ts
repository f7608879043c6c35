import type { Logger } from 'pino'
import type { Database } from '../platform/store/database.ts'
import type { NewDelivery } from '../platform/store/deliveries/deliveries.ts'
import { type ClaimedJob, type FinishedRun, finishJob, JsonText } from '../platform/store/jobs/job-runs.ts'
import type { LedgerLine } from '../platform/store/ledger/ledger-line.ts'
import { retryWhileUnavailable } from '../platform/store/retry-while-unavailable.ts'
import { parseExactly } from '../translation/json/exact-numbers.ts'
import { refuseNotJson } from '../translation/json/canonical-json.ts'
import type { FinishedJob } from './webhooks/payload.ts'
import type { Announced } from './webhooks/prepare-delivery.ts'
import type { JobOutcome } from './job-outcome.ts'

const UNWRITABLE = 'The answer of the provider cannot be written as JSON.'

/** A result may have cost money, so storing it is retried for a while. */
const STORE_FOR_MS = 60_000
const STORE_PAUSE_MS = 250

export type Finishing = {
  db: Database
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  prepareDelivery(announced: Announced): Promise<NewDelivery>
  /** Says that a webhook was put into the outbox. */
  wakeDeliverer(): void
}

/** What the end of a job is made of. */
type Ending = JobOutcome & { cost: number | null; line: LedgerLine }

/**
 * Writes the end of a job together with its ledger line and its webhook. Returns false if the job no longer belongs to this
 * attempt.
 */
export async function finish(services: Finishing, job: ClaimedJob, outcome: Ending, at: number): Promise<boolean> {
  const run = runOf(job, outcome, at)
  const delivery = await announce(services, job, finishedJob(job, run))
  const write = () => finishJob(services.db, run, delivery)
  const written = await retryWhileUnavailable(write, { pauseMs: STORE_PAUSE_MS, forMs: STORE_FOR_MS })
  if (written && delivery) services.wakeDeliverer()
  return written
}

/**
 * A webhook that cannot be created must not keep its job from ending. Submission already refuses jobs with such webhooks.
 */
export async function announce(
  { log, prepareDelivery }: Pick<Finishing, 'log' | 'prepareDelivery'>,
  { webhook }: Pick<ClaimedJob, 'webhook'>,
  job: FinishedJob,
): Promise<NewDelivery | undefined> {
  if (!webhook) return undefined
  return prepareDelivery({ job, url: webhook.url }).catch((error) => {
    log.error({ job: job.id, error: String(error) }, 'the webhook of a job cannot be created')
    return undefined
  })
}

function runOf(job: ClaimedJob, outcome: Ending, at: number): FinishedRun {
  const { cost, provider = job.provider, model = job.model } = outcome
  const priced = cost !== null && Number.isFinite(cost) ? cost : null
  const also = outcome.status === 'success' ? outcome.also : undefined
  const about = { id: job.id, attempt: job.attempt, cost: priced, provider, model, line: outcome.line, also }
  return { ...about, ...resultOf(job, outcome), finishedAt: Math.max(job.createdAt, Math.round(at)) }
}

function resultOf(job: ClaimedJob, outcome: JobOutcome): Pick<FinishedRun, 'status' | 'output' | 'error' | 'original'> {
  const original = job.showOriginal ? outcome.original : undefined
  // A job that was to show the answer of its provider says so if there was none.
  const none = job.showOriginal ? null : undefined
  const { output } = outcome
  if (outcome.status === 'fail')
    return { status: 'fail', output: output ?? null, error: outcome.error, original: json(original) ?? none }
  if (output instanceof JsonText) return { status: 'success', output, error: null, original: undefined }
  if (json(output) === undefined || (original !== undefined && json(original) === undefined))
    return { status: 'fail', output: null, error: UNWRITABLE, original: none }
  return { status: 'success', output, error: null, original: original ?? none }
}

/** Returns the value if a webhook can contain it. */
function json(value: unknown): unknown {
  try {
    refuseNotJson(value, 1)
    return value
  } catch {
    return undefined
  }
}

function finishedJob(job: ClaimedJob, run: FinishedRun): FinishedJob {
  const { id, feature, subfeature, createdAt } = job
  const { provider, model, finishedAt, output, original } = run
  const about = { id, feature, subfeature, provider, model, createdAt, finishedAt }
  const userParameters = parametersIn(job)
  const result =
    run.error === null ? { status: 'success' as const, output } : { status: 'fail' as const, error: run.error }
  return { ...about, userParameters, result: { ...result, original } }
}

/** The caller's parameters, with the digits of their numbers. */
export function parametersIn({ userParameters }: Pick<ClaimedJob, 'userParameters'>): FinishedJob['userParameters'] {
  return userParameters === null ? null : (parseExactly(userParameters) as Record<string, unknown>)
}
