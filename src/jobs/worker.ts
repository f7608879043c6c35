import { openClaimLoop } from '../store/claim-loop.ts'
import { type ClaimedJob, claimJobs } from '../store/job-runs.ts'
import type { Finishing } from './finish.ts'
import { type Execute, type Run, runJob } from './run-job.ts'
import { sweepJobs } from './sweep-jobs.ts'

const MAX_EXECUTIONS = 3
const TIMING = {
  /** A worker that is gone is noticed after a lease and, at the latest, a poll. */
  leaseMs: 20_000,
  heartbeatMs: 5_000,
  pollMs: 250,
  sweepMs: 5_000,
  /** How long jobs may go on when the worker is closed. */
  graceMs: 20_000,
  /** A worker that is alive writes about a passed deadline itself, and sooner than the sweep. */
  deadlineGraceMs: 1_000,
  keepMs: 7 * 86_400_000,
}

export type WorkerOptions = Omit<Finishing, 'wakeDeliverer'> & {
  execute: Execute
  /** From a job's first start to its failure. */
  deadlineMs: number
  /** How many jobs of one owner run at once. */
  concurrency: number
  workerId: string
  wakeDeliverer?: () => void
  maxExecutions?: number
  timing?: Partial<typeof TIMING>
  /** Milliseconds from anywhere that never go back. */
  monotonic?: () => number
}

export type JobWorker = {
  readonly running: number
  /** A job was submitted here. */
  wake(): void
  /** Lets jobs end for a while, then gives the rest back to the queue. */
  close(): Promise<void>
}

export function openWorker(input: WorkerOptions): JobWorker {
  const options = {
    wakeDeliverer: () => {},
    maxExecutions: MAX_EXECUTIONS,
    monotonic: () => performance.now(),
    ...input,
  }
  const timing = { ...TIMING, ...input.timing }
  const { db, log, workerId: worker, concurrency, deadlineMs, maxExecutions } = options
  const runs = new Set<Run>()
  const loop = openClaimLoop<ClaimedJob>({
    pollMs: timing.pollMs,
    concurrency,
    claim: (capacity) => claimJobs(db, { worker, ...capacity, leaseMs: timing.leaseMs, deadlineMs, maxExecutions }),
    run: start,
    failed: (error) => log.error({ error: String(error) }, 'jobs cannot be claimed'),
  })
  let sweeping: Promise<void> | undefined
  const sweepTimer = setInterval(sweep, timing.sweepMs)
  let closed: Promise<void> | undefined
  return {
    get running() {
      return loop.running
    },
    wake: loop.wake,
    close: () => {
      closed ??= close()
      return closed
    },
  }

  async function start(job: ClaimedJob) {
    const run = runJob(job, { ...options, ...timing })
    runs.add(run)
    await run.done
    runs.delete(run)
  }

  function sweep() {
    sweeping ??= sweepJobs({ ...options, ...timing })
      .catch((error) => log.error({ error: String(error) }, 'jobs cannot be swept'))
      .finally(() => {
        sweeping = undefined
      })
  }

  async function close() {
    clearInterval(sweepTimer)
    await loop.stop(timing.graceMs)
    await Promise.all(Array.from(runs, (run) => run.release()))
    await sweeping
  }
}
