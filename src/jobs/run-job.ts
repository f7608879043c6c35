import { setTimeout as sleep } from 'node:timers/promises'
import { recordOf } from '../base/schema/record.ts'
import { executionId } from '../calls/close-call.ts'
import { CLIENT_GONE } from '../calls/client-gone.ts'
import type { InFlightCall } from '../money/billing/in-flight.ts'
import { Problem, problem } from '../contract/problems.ts'
import { StoreUnavailable } from '../platform/store/database.ts'
import { type ClaimedJob, releaseJob, renewLease, saveTicket } from '../platform/store/jobs/job-runs.ts'
import type { LedgerLine } from '../platform/store/ledger/ledger-line.ts'
import { retryWhileUnavailable } from '../platform/store/retry-while-unavailable.ts'
import { type Finishing, finish } from './finish.ts'
import { openHeartbeat } from './heartbeat.ts'
import { hasSpent, lineWithoutCall } from './job-line.ts'
import type { JobOutcome } from './job-outcome.ts'

export const TOO_LATE = 'The job did not finish in time.'
const STOPPED = 'The job was cancelled.'
const BROKEN = 'Something went wrong inside the gateway. Its log has the details under the id of the job.'

/**
 * An execution that was interrupted says what it has spent. One that hangs is not waited for: the sweep would end the job at its
 * deadline, and a process that stops would not end.
 */
const LAST_WORDS_MS = 500
const TICKET_PAUSE_MS = 250

/** Does the work of a job. The signal aborts when the result is no longer wanted. */
export type Execute = (job: ClaimedJob, tools: ExecuteTools) => Promise<JobOutcome>

type ExecuteTools = {
  signal: AbortSignal
  /** Stores what a later execution needs to fetch a slow provider's result after a crash. It comes back as `job.ticket`. */
  saveTicket(ticket: unknown): Promise<void>
  /**
   * Says how to get the ledger line, which is written together with the end of the job, and what is in flight until then: if the
   * process dies, this execution has a line of its own.
   */
  keepLine(line: LineOf, inFlight?: Pick<InFlightCall, 'ended'>): void
  /** Says what to do when this execution has ended the job. Another one may end it instead. */
  whenEnded(done: () => void): void
}

/** The line of an execution that ends the job, or of one that does not: then another execution pays for what has a ticket. */
type LineOf = (endsJob: boolean) => LedgerLine

type RunOptions = Finishing & {
  execute: Execute
  leaseMs: number
  heartbeatMs: number
  /** How long a store that is away is waited for with a ticket. */
  ticketMs: number
  /** Records what an execution has spent that did not end the job. */
  recordLine(line: LedgerLine): void
  /** Told about every job that this process has ended. */
  ended?: JobEnded | undefined
  monotonic(): number
}

export type JobEnded = (job: Pick<ClaimedJob, 'feature' | 'subfeature'>, status: string, runMs: number) => void

type Interruption = 'deadline' | 'lost' | 'released' | 'store away' | 'stopped'

/** One execution of a job, from its claim to its stored result. */
export class JobRun {
  /** Never rejects. */
  readonly done: Promise<void>
  readonly #job: ClaimedJob
  readonly #options: RunOptions
  readonly #startedAt: number
  readonly #stopping = new AbortController()
  readonly #heartbeat: ReturnType<typeof openHeartbeat>
  readonly #interrupted = Promise.withResolvers<Interruption>()
  #isFinishing = false
  #line: LineOf | undefined
  #inFlight: Pick<InFlightCall, 'ended'> | undefined
  #whenEnded: (() => void) | undefined

  constructor(job: ClaimedJob, options: RunOptions) {
    this.#job = job
    this.#options = options
    this.#startedAt = options.monotonic()
    this.#heartbeat = this.#startHeartbeat()
    const deadline = setTimeout(() => this.#interrupt('deadline'), job.deadlineAt - job.steadyAt)
    this.done = this.#run()
      .catch((error) => options.log.error({ ...this.#ids, error: String(error) }, 'job left unfinished'))
      .finally(() => {
        clearTimeout(deadline)
        this.#heartbeat.stop()
        this.#inFlight?.ended()
      })
  }

  get id(): string {
    return this.#job.id
  }

  /** Looks now whether the owner wants the job to stop, and not only at the next heartbeat. */
  check(): void {
    this.#heartbeat.beat()
  }

  /** Stops the work and gives the job back, unless its result is being written just now. */
  async release(): Promise<void> {
    const { db, log } = this.#options
    if (!this.#isFinishing) {
      this.#interrupt('released')
      const warn = (error: unknown) => log.warn({ ...this.#ids, error: String(error) }, 'job not released')
      await releaseJob(db, this.#job).catch(warn)
    }
    await this.done
  }

  #startHeartbeat() {
    const { db, heartbeatMs: everyMs, leaseMs, monotonic } = this.#options
    const renew = async () => {
      const lease = await renewLease(db, { ...this.#job, leaseMs })
      if (lease === 'cancelled' || lease === 'deleted') this.#interrupt('stopped')
      return lease !== 'lost'
    }
    return openHeartbeat({ everyMs, leaseMs, renew, lost: () => this.#interrupt('lost'), monotonic })
  }

  async #run() {
    const executing = this.#execute()
    const ending = await Promise.race([executing, this.#interrupted.promise])
    const isFollowed = ending === 'released' || ending === 'lost' || ending === 'store away'
    this.#isFinishing = !isFollowed
    if (typeof ending === 'object') return await this.#finish(ending)
    if (ending === 'lost' || ending === 'store away') this.#options.log.warn({ ...this.#ids, ending }, 'job dropped')
    // What was spent is known when the execution has ended, and it ends at once.
    await Promise.race([executing, sleep(LAST_WORDS_MS, undefined, { ref: false })])
    if (isFollowed) return this.#recordSpent()
    const reason = ending === 'stopped' ? stopped() : tooLate()
    await this.#finish({ status: 'fail', error: reason.message, reason })
  }

  async #execute(): Promise<JobOutcome | 'store away'> {
    const { signal } = this.#stopping
    if (this.#job.stop) return { status: 'fail', error: STOPPED, reason: stopped() }
    try {
      return await this.#options.execute(this.#job, {
        signal,
        saveTicket: (ticket) => this.#saveTicket(ticket),
        keepLine: (line, inFlight) => {
          this.#line = line
          this.#inFlight = inFlight
        },
        whenEnded: (done) => {
          this.#whenEnded = done
        },
      })
    } catch (error) {
      // The job itself did not fail: its lease runs out, and it is started again.
      if (error instanceof StoreUnavailable) return 'store away'
      if (error instanceof Problem) return { status: 'fail', error: error.message, reason: error }
      if (!signal.aborted)
        this.#options.log.error({ ...this.#ids, error: describe(error) }, 'job failed inside the gateway')
      return { status: 'fail', error: BROKEN }
    }
  }

  async #finish(outcome: JobOutcome) {
    const { log, monotonic, ended } = this.#options
    const runMs = monotonic() - this.#startedAt
    // The store's time at the claim plus a monotonic difference, because this machine's clock may jump.
    const finishedAt = this.#job.claimedAt + runMs
    const line = this.#line?.(true) ?? this.#bareLine(outcome, finishedAt)
    // A cancelled job, too, shows the cost that its line has.
    const ending = { ...outcome, cost: line.cost, line }
    const written = await finish(this.#options, this.#job, ending, finishedAt).catch((error) => {
      this.#recordSpent()
      throw error
    })
    if (!written) {
      this.#recordSpent()
      return log.warn(this.#ids, 'late result refused: the job belongs to a later attempt')
    }
    ended?.(this.#job, outcome.status, runMs)
    this.#whenEnded?.()
    log.info({ ...this.#ids, status: outcome.status }, 'job finished')
  }

  /** The line of an execution that ended before it began to spend. */
  #bareLine(outcome: JobOutcome, at: number): LedgerLine {
    const reason = outcome.status === 'success' ? null : (outcome.reason ?? problem('internal_error'))
    const line = lineWithoutCall(this.#job, { at, startedAt: this.#job.claimedAt, reason })
    // The provider may have done what an earlier execution ordered, and its price is unknown. Tickets without a value are for no order.
    if (recordOf(this.#job.ticket).value !== undefined) return line
    return { ...line, cost: reason && 0, estimated: false }
  }

  /** Another execution ends this job and writes its line. This one has a line of its own if it has spent something. */
  #recordSpent(): void {
    const line = this.#line?.(false)
    if (line && hasSpent(line)) this.#options.recordLine({ ...line, id: executionId(line.id, this.#job.attempt) })
  }

  async #saveTicket(ticket: unknown) {
    const { db, ticketMs: forMs } = this.#options
    const save = () => saveTicket(db, { ...this.#job, ticket })
    const isSaved = await retryWhileUnavailable(save, { pauseMs: TICKET_PAUSE_MS, forMs }).catch((error) => {
      // Another execution follows, so this one has to leave the work that the store knows to it.
      if (error instanceof StoreUnavailable) this.#interrupt('store away')
      throw error
    })
    if (isSaved) return
    this.#interrupt('lost')
    this.#stopping.signal.throwIfAborted()
  }

  /** A deadline, or an owner who cancels, ends the job, and the ledger records it. Any other interruption is followed by another execution. */
  #interrupt(why: Interruption) {
    this.#interrupted.resolve(why)
    this.#stopping.abort(reasonOf(why))
  }

  get #ids() {
    return { job: this.#job.id, attempt: this.#job.attempt }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** The ledger records the reasons that end a job. */
function reasonOf(why: Interruption): Error {
  if (why === 'deadline') return tooLate()
  return why === 'stopped' ? stopped() : new Error(`The job was interrupted: ${why}.`)
}

function stopped(): Problem {
  return problem('conflict', { message: STOPPED, status: CLIENT_GONE, code: 'cancelled' })
}

function tooLate(): Problem {
  return problem('upstream_timeout', { message: TOO_LATE, limit: 'total' })
}
