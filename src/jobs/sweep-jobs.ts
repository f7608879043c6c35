import { problem } from '../contract/problems.ts'
import { type ExhaustedJob, failExhausted } from '../platform/store/jobs/job-sweep.ts'
import { announce, type Finishing, parametersIn } from './finish.ts'
import { lineWithoutCall } from './job-line.ts'
import { type JobEnded, TOO_LATE } from './run-job.ts'

const FAIL_AT_ONCE = 100

type SweepOptions = Finishing & {
  maxExecutions: number
  deadlineGraceMs: number
  ended?: JobEnded | undefined
}

/** Ends jobs that no worker will end. */
export async function sweepJobs(options: SweepOptions): Promise<void> {
  const { db, log, maxExecutions, deadlineGraceMs, wakeDeliverer } = options
  const end = (job: ExhaustedJob) => endingOf(job, options)
  const ended = (job: ExhaustedJob) => options.ended?.(job, 'fail', job.finishedAt - job.startedAt)
  const failed = await failExhausted(db, { maxExecutions, graceMs: deadlineGraceMs, limit: FAIL_AT_ONCE, end, ended })
  if (failed > 0) {
    log.warn({ jobs: failed }, 'jobs given up')
    wakeDeliverer()
  }
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
  const line = lineWithoutCall(job, { at: job.finishedAt, startedAt: job.startedAt, reason })
  return { error, line, delivery: await announce(options, job, finished) }
}
