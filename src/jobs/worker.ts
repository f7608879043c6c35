import { ClaimLoop } from '../platform/store/claim-loop.ts'
import { type ClaimedJob, claimJobs } from '../platform/store/jobs/job-runs.ts'
import type { LedgerLine } from '../platform/store/ledger/ledger-line.ts'
import type { Finishing } from './finish.ts'
import { type Execute, type JobEnded, JobRun } from './run-job.ts'
import { sweepJobs } from './sweep-jobs.ts'

const MAX_EXECUTIONS = 3
const TIMING = {
  /** The job of a dead worker starts again after this lease and at most one poll. */
  leaseMs: 20_000,
  heartbeatMs: 5_000,
  /** How long a store that is away is waited for with the ticket of a slow provider. */
  ticketMs: 15_000,
  pollMs: 250,
  sweepMs: 5_000,
  /** How long jobs may go on after the worker is closed. */
  graceMs: 20_000,
  /** A living worker ends its jobs at their deadline itself; the sweep waits this much longer. */
  deadlineGraceMs: 1_000,
}

export type WorkerOptions = Omit<Finishing, 'wakeDeliverer'> & {
  execute: Execute
  /** From a job's first start to its failure. */
  deadlineMs: number
  /** The same for a response in the background. */
  responseDeadlineMs?: number
  /** How many jobs of one owner run at once. */
  concurrency: number
  workerId: string
  wakeDeliverer?: () => void
  /** Records what an execution has spent that did not end its job. */
  recordLine?: (line: LedgerLine) => void
  ended?: JobEnded
  maxExecutions?: number
  timing?: Partial<typeof TIMING>
  /** Milliseconds since any moment; never goes back. */
  monotonic?: () => number
}

type JobWorker = {
  readonly running: number
  /** Says that a job was submitted. */
  wake(): void
  /** Says that the owner of a job wants it to stop. Jobs of other processes stop at their next heartbeat. */
  stop(id: string): void
  /** Lets jobs go on for a while, then gives the rest back to the queue. */
  close(graceMs?: number): Promise<void>
}

export function openWorker(options: WorkerOptions): JobWorker {
  const settings = settingsOf(options)
  const { db, log, workerId: worker, concurrency, pollMs, leaseMs, maxExecutions } = settings
  const { deadlineMs, responseDeadlineMs = deadlineMs } = settings
  const runs = new Set<JobRun>()
  const loop = new ClaimLoop<ClaimedJob>({
    pollMs,
    concurrency,
    claim: (capacity) => claimJobs(db, { worker, ...capacity, leaseMs, deadlineMs, responseDeadlineMs, maxExecutions }),
    run: (job) => runOne(job, settings, runs),
    failed: (error) => log.error({ error: String(error) }, 'jobs cannot be claimed'),
  })
  const sweeper = openSweeper(settings)
  let closed: Promise<void> | undefined
  return {
    get running() {
      return loop.running
    },
    wake: () => loop.wake(),
    stop: (id) => {
      for (const run of runs) if (run.id === id) run.check()
      // A job that waits ends when it is claimed.
      loop.wake()
    },
    close: (graceMs) => {
      closed ??= close(graceMs)
      return closed
    },
  }

  async function close(graceMs = settings.graceMs) {
    const swept = sweeper.stop()
    await loop.stop(graceMs)
    await Promise.all(Array.from(runs, (run) => run.release()))
    await swept
  }
}

type Settings = ReturnType<typeof settingsOf>

function settingsOf({ timing, ...options }: WorkerOptions) {
  const defaults = {
    wakeDeliverer: () => {},
    recordLine: () => {},
    maxExecutions: MAX_EXECUTIONS,
    monotonic: () => performance.now(),
  }
  return { ...defaults, ...options, ...TIMING, ...timing }
}

async function runOne(job: ClaimedJob, settings: Settings, runs: Set<JobRun>): Promise<void> {
  const run = new JobRun(job, settings)
  runs.add(run)
  await run.done
  runs.delete(run)
}

/** Sweeps regularly, one sweep at a time. `stop` returns when the sweep that may be under way has ended. */
function openSweeper(settings: Settings): { stop(): Promise<void> } {
  let sweeping: Promise<void> | undefined
  const timer = setInterval(sweep, settings.sweepMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await sweeping
    },
  }

  function sweep() {
    sweeping ??= sweepJobs(settings)
      .catch((error) => settings.log.error({ error: String(error) }, 'jobs cannot be swept'))
      .finally(() => {
        sweeping = undefined
      })
  }
}
