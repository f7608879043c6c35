import { Problem, problem } from '../contract/problems.ts'
import { StoreUnavailable } from '../store/database.ts'
import { type ClaimedJob, releaseJob, renewLease, saveTicket } from '../store/job-runs.ts'
import { whileUnavailable } from '../store/while-unavailable.ts'
import { type Finishing, finish } from './finish.ts'
import { openHeartbeat } from './heartbeat.ts'
import type { Outcome } from './outcome.ts'

export const TOO_LATE = 'The job did not finish in time.'
const BROKEN = "Something went wrong inside the gateway. The job's id finds it in the logs."

const TICKET_FOR_MS = 15_000
const TICKET_PAUSE_MS = 250

/** Does the work of a job. The signal is raised when nobody waits for the result any more. */
export type Execute = (job: ClaimedJob, tools: ExecuteTools) => Promise<Outcome>

export type ExecuteTools = {
  signal: AbortSignal
  /** Keeps what a slow provider's result is asked for with, for the execution after a crash: `job.ticket`. */
  saveTicket(ticket: unknown): Promise<void>
}

export type RunOptions = Finishing & {
  execute: Execute
  leaseMs: number
  heartbeatMs: number
  monotonic(): number
}

export type Run = {
  readonly job: ClaimedJob
  /** Never fails. */
  readonly done: Promise<void>
  /** Stops the work and gives the job back, unless its result is being written just now. */
  release(): Promise<void>
}

type Interruption = 'deadline' | 'lost' | 'released' | 'store away'

export function runJob(job: ClaimedJob, options: RunOptions): Run {
  const { db, log, execute, leaseMs, heartbeatMs, monotonic } = options
  const startedAt = monotonic()
  const stopping = new AbortController()
  const interrupted = Promise.withResolvers<Interruption>()
  const heartbeat = openHeartbeat({
    everyMs: heartbeatMs,
    leaseMs,
    renew: () => renewLease(db, { ...job, leaseMs }),
    lost: () => interrupt('lost'),
    monotonic,
  })
  const deadline = setTimeout(() => interrupt('deadline'), job.deadlineAt - job.claimedAt)
  let finishing = false
  const done = run()
    .catch((error) => log.error({ ...names(), error: String(error) }, 'job left unfinished'))
    .finally(stop)
  return { job, done, release }

  async function run() {
    const ending = await Promise.race([attempt(), interrupted.promise])
    if (ending === 'released') return
    if (ending === 'lost' || ending === 'store away') return log.warn({ ...names(), ending }, 'job dropped')
    finishing = true
    const outcome: Outcome = ending === 'deadline' ? { status: 'fail', error: TOO_LATE } : ending
    // The store's clock, carried on by one that only goes forward: this machine's may jump.
    const finishedAt = job.claimedAt + (monotonic() - startedAt)
    if (await finish(options, job, outcome, finishedAt))
      log.info({ ...names(), status: outcome.status }, 'job finished')
    else log.warn(names(), 'late result refused: the job is no longer this attempt’s')
  }

  async function attempt(): Promise<Outcome | 'store away'> {
    try {
      return await execute(job, { signal: stopping.signal, saveTicket: keepTicket })
    } catch (error) {
      // Not the job's fault: its lease runs out, and it is started again.
      if (error instanceof StoreUnavailable) return 'store away'
      if (error instanceof Problem) return { status: 'fail', error: error.message }
      if (!stopping.signal.aborted) log.error({ ...names(), error: describe(error) }, 'job failed inside the gateway')
      return { status: 'fail', error: BROKEN }
    }
  }

  async function keepTicket(ticket: unknown) {
    const save = () => saveTicket(db, { ...job, ticket })
    if (await whileUnavailable(save, { pauseMs: TICKET_PAUSE_MS, forMs: TICKET_FOR_MS })) return
    interrupt('lost')
    stopping.signal.throwIfAborted()
  }

  function interrupt(why: Interruption) {
    interrupted.resolve(why)
    // A deadline is the job's own end and goes into the ledger; all else is followed by another execution.
    stopping.abort(why === 'deadline' ? tooLate() : new Error(`The job was interrupted: ${why}.`))
  }

  async function release() {
    if (!finishing) {
      interrupt('released')
      await releaseJob(db, job).catch((error) => log.warn({ ...names(), error: String(error) }, 'job not released'))
    }
    await done
  }

  function stop() {
    clearTimeout(deadline)
    heartbeat.stop()
  }

  function names() {
    return { job: job.id, attempt: job.attempt }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function tooLate(): Problem {
  return problem('upstream_timeout', { message: TOO_LATE, limit: 'total' })
}
