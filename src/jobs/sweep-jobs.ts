import { problem } from '../contract/problems.ts'
import type { Database } from '../store/database.ts'
import { expireDeliveries } from '../store/deliveries.ts'
import { type ExhaustedJob, expireJobs, failExhausted } from '../store/job-sweep.ts'
import { announce, type Finishing, parametersIn } from './finish.ts'
import { lineOfJob } from './job-line.ts'
import { TOO_LATE } from './run-job.ts'

const FAIL_AT_ONCE = 100
const EXPIRE_AT_ONCE = 500
const EXPIRE_ROUNDS = 20

export type SweepOptions = Finishing & { maxExecutions: number; deadlineGraceMs: number; keepMs: number }

/** Ends jobs that no worker will end, and removes old ones. */
export async function sweepJobs(options: SweepOptions): Promise<void> {
  const { db, log, maxExecutions, deadlineGraceMs, keepMs, wakeDeliverer } = options
  const end = (job: ExhaustedJob) => endingOf(job, options)
  const failed = await failExhausted(db, { maxExecutions, graceMs: deadlineGraceMs, limit: FAIL_AT_ONCE, end })
  if (failed > 0) {
    log.warn({ jobs: failed }, 'jobs given up')
    wakeDeliverer()
  }
  await expire(expireJobs, db, keepMs)
  await expire(expireDeliveries, db, keepMs)
}

/**
 * Works in batches, so that other calls do not wait long for the store, and only for a limited number of rounds, so that
 * the next sweep is on time.
 */
async function expire(expireSome: typeof expireJobs, db: Database, keepMs: number) {
  for (let round = 0; round < EXPIRE_ROUNDS; round++)
    if ((await expireSome(db, { keepMs, limit: EXPIRE_AT_ONCE })) < EXPIRE_AT_ONCE) break
}

async function endingOf(job: ExhaustedJob, options: SweepOptions) {
  const sentence = `The job was started ${options.maxExecutions} times and never finished.`
  const error = job.reason === 'deadline' ? TOO_LATE : sentence
  const finished = {
    ...job,
    userParameters: parametersIn(job),
    result: { status: 'fail', error } as const,
  }
  const reason = problem(job.reason === 'deadline' ? 'upstream_timeout' : 'internal_error')
  const line = lineOfJob(job, { at: job.finishedAt, startedAt: job.startedAt, reason })
  return { error, line, delivery: await announce(options, job, finished) }
}
