import { demandStorage } from '../../calls/files/storage-quota.ts'
import { MB } from '../../base/units/units.ts'
import { Problem } from '../../contract/problems.ts'
import {
  beginAsking,
  beginFinalizing,
  type ClaimedBatch,
  endBatch,
  failValidation,
  giveBack,
  renewBatch,
} from '../../platform/store/batches/batch-runs.ts'
import { forgetLines, GATEWAY } from '../../platform/store/batches/batch-lines.ts'
import type { BatchEnding, BatchProblem, BatchState } from '../../platform/store/batches/batches.ts'
import { ownerOf } from '../../platform/store/owner.ts'
import { callerOfToday } from '../../tenants/access/policy-of-today.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { openHeartbeat } from '../heartbeat.ts'
import type { NewDelivery } from '../../platform/store/deliveries/deliveries.ts'
import { askLines, type AskingNeeds, type Pause } from './ask-lines.ts'
import type { BatchRequest } from './batch-request.ts'
import { handOver, mayHandOver } from './hand-over.ts'
import { type ProviderNeeds, ProviderTurn } from './provider-turn.ts'
import { InputGone } from './read-places.ts'
import { type Validation, validate } from './validate.ts'
import { ProviderWatch } from './watch-provider-batches.ts'
import { writeAnswers } from './write-answers.ts'

export type TurnNeeds = Pick<AskingNeeds, 'lines' | 'pace' | 'places'> & {
  /** The services of now: a batch lives longer than a configuration. */
  services: ProviderNeeds['services']
  /** The webhook about the end of a batch; undefined if it wants none. */
  announce(batch: ClaimedBatch, ending: BatchEnding): Promise<NewDelivery | undefined>
  wakeDeliverer(): void
  log: {
    info(about: object, text: string): void
    warn(about: object, text: string): void
    error(about: object, text: string): void
  }
  timing: { leaseMs: number; heartbeatMs: number; turnMs: number; keyMs: number } & ProviderNeeds['timing']
}

/** A batch whose owner has stored too much looks again after this time. */
const STORAGE_WAIT_MS = 60_000
/** What has to fit into the quota of the owner before lines are asked. */
const ROOM_BYTES = MB

/** One turn of a process at a batch, from its claim until it is given back. */
export class BatchTurn {
  /** Never rejects. */
  readonly done: Promise<void>
  readonly #batch: ClaimedBatch
  readonly #needs: TurnNeeds
  /** No line is begun any more. */
  readonly #ending = new AbortController()
  /** What runs is given up. */
  readonly #abort = new AbortController()
  #isLost = false

  constructor(batch: ClaimedBatch, needs: TurnNeeds) {
    this.#batch = batch
    this.#needs = needs
    this.done = this.#run()
  }

  get id(): string {
    return this.#batch.id
  }

  /** Lets lines that run end. */
  stop(): void {
    this.#ending.abort(new Error('The process stops.'))
  }

  /** Gives up what runs. Its lines are asked again. */
  abandon(): void {
    this.stop()
    this.#abort.abort(new Error('The process stops.'))
  }

  async #run(): Promise<void> {
    const { log, services, timing } = this.#needs
    const { monotonic } = services()
    const heartbeat = openHeartbeat({
      everyMs: timing.heartbeatMs,
      leaseMs: timing.leaseMs,
      monotonic,
      renew: () => this.#renew(),
      lost: () => this.#lose(),
    })
    const leftMs = this.#batch.deadlineAt - this.#batch.steadyAt
    const timers = [timing.turnMs, ...(leftMs > 0 ? [leftMs] : [])].map((ms) =>
      setTimeout(() => this.#ending.abort(), Math.min(ms, MAX_TIMER_MS)),
    )
    try {
      const pause = await this.#work()
      if (!this.#isLost) await giveBack(services().db, this.#batch, pause)
    } catch (error) {
      // The lease runs out, and another turn goes on.
      if (!this.#isLost) log.error({ batch: this.id, error: describe(error) }, 'batch left for another turn')
    } finally {
      for (const timer of timers) clearTimeout(timer)
      heartbeat.stop()
    }
  }

  async #renew(): Promise<boolean> {
    const { services, timing } = this.#needs
    const state = await renewBatch(services().db, { ...this.#batch, leaseMs: timing.leaseMs })
    if (state === 'cancelling') this.#ending.abort()
    return state !== 'lost'
  }

  #lose(): void {
    this.#isLost = true
    this.#ending.abort()
    this.#abort.abort(new Error('The batch belongs to another process.'))
  }

  /** Takes the batch as far as it gets. A state that was not left is entered again by another turn. */
  async #work(): Promise<Pause | undefined> {
    const { state, deadlineAt, steadyAt } = this.#batch
    const isOver = deadlineAt <= steadyAt
    if (state === 'finalizing') return await this.#finalize(this.#batch.ending!, this.#batch)
    if (state === 'cancelling') return await this.#end('cancelled')
    if (isOver) return await this.#end('expired')
    if (state === 'validating') return await this.#validate()
    return await this.#ask()
  }

  /** Ends a batch before all lines were asked. If it was not checked yet, its lines are unknown, and each of them is named in a file. */
  async #end(ending: 'cancelled' | 'expired'): Promise<Pause | undefined> {
    if (this.#batch.inProgressAt === null) {
      const found = await this.#check()
      if (!found) return this.#lose() as undefined
      if (found.problems.length > 0) await forgetLines(this.#needs.services().db, this.#batch)
    }
    return await this.#stopAndClose(ending)
  }

  /** What providers have answered is waited for, because it has to be paid. */
  async #stopAndClose(ending: BatchEnding, problem?: BatchProblem): Promise<Pause | undefined> {
    const watch = new ProviderWatch(this.#providerTurn())
    await watch.stop()
    const forMs = await watch.nextLook()
    return forMs === undefined ? await this.#close(ending, problem) : { reason: null, forMs }
  }

  #providerTurn(): ProviderTurn {
    const { services, lines, pace, log, timing } = this.#needs
    const signals = { ending: this.#ending.signal, abort: this.#abort.signal }
    return new ProviderTurn(this.#batch, { services, lines, pace, log, timing }, signals)
  }

  #check(): Promise<Validation | undefined> {
    const { services, lines } = this.#needs
    const { db, files, config } = services()
    const carrier = mayHandOver(this.#batch, config) ? null : GATEWAY
    const needs = {
      db,
      blobs: files.blobs,
      maxLineBytes: config.bodyLimitMb * MB,
      carrier,
      endpointOf: lines.endpointOf,
    }
    return validate(this.#batch, { ...needs, signal: this.#abort.signal })
  }

  async #validate(): Promise<undefined> {
    const { services, log } = this.#needs
    const { db } = services()
    const found = await this.#check()
    if (!found) return this.#lose() as undefined
    if (found.problems.length === 0) {
      await beginAsking(db, this.#batch, found.total)
      return undefined
    }
    const { problems } = found
    const failed = { ...this.#batch, problems }
    const isFailed = await failValidation(db, failed, problems, await this.#needs.announce(failed, 'failed'))
    if (isFailed) this.#ended('failed')
    else log.warn({ batch: this.id }, 'a batch that is not valid was cancelled meanwhile')
    return undefined
  }

  async #ask(): Promise<Pause | undefined> {
    const { services } = this.#needs
    const { files, now, monotonic } = services()
    const full = await this.#storagePause()
    if (full) return full
    const { lines, pace, places, log } = this.#needs
    const caller = this.#callerLookup()
    const providerTurn = this.#providerTurn()
    const watch = new ProviderWatch(providerTurn)
    await watch.look()
    const today = await caller()
    if (!today) return await this.#stopAndClose('failed', KEY_GONE)
    const wait = await handOver(providerTurn, today).catch((error: unknown) => {
      if (error instanceof InputGone) return 'input gone' as const
      throw error
    })
    if (wait === 'input gone') return await this.#stopAndClose('failed', INPUT_GONE)
    const signals = { ending: this.#ending.signal, abort: this.#abort.signal }
    const end = await askLines(this.#batch, { files, lines, pace, places, log, now, monotonic, caller }, signals)
    if (end === 'input gone') return await this.#stopAndClose('failed', INPUT_GONE)
    if (end === 'key gone') return await this.#stopAndClose('failed', KEY_GONE)
    if (end === 'stopped') return undefined
    const pause = end === 'none left' ? wait : end
    const forMs = await watch.nextLook()
    if (forMs === undefined) return pause ?? (await this.#close('completed'))
    return { reason: pause?.reason ?? null, forMs: Math.min(forMs, pause?.forMs ?? forMs) }
  }

  async #storagePause(): Promise<Pause | undefined> {
    const { files } = this.#needs.services()
    try {
      await demandStorage(this.#batch.owner, ROOM_BYTES, files)
      return undefined
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return { reason: error.message, forMs: STORAGE_WAIT_MS }
    }
  }

  /** The caller with what its key may do now. Its content is where the batch is: a key or a project may have moved. */
  #callerLookup(): () => Promise<Caller | undefined> {
    const { caller } = JSON.parse(this.#batch.request) as BatchRequest
    let lookedAt = Number.NEGATIVE_INFINITY
    let found: Caller | undefined
    return async () => {
      const { services, timing } = this.#needs
      const { db, now, monotonic } = services()
      if (monotonic() - lookedAt < timing.keyMs) return found
      const today = await callerOfToday(caller, { db, now })
      found = today && { ...today, ...ownerOf(this.#batch) }
      lookedAt = monotonic()
      return found
    }
  }

  /** No line is asked any more. */
  async #close(ending: BatchEnding, problem?: BatchProblem): Promise<undefined> {
    const { db, newId } = this.#needs.services()
    const files = { outputFile: newId(), errorFile: newId() }
    const isClosed = await beginFinalizing(db, this.#batch, { ending, ...files, problem })
    // The owner may have cancelled it in the meantime, which the next turn sees.
    if (!isClosed) return undefined
    const problems = problem ? [problem] : this.#batch.problems
    return await this.#finalize(ending, { ...this.#batch, ...files, problems })
  }

  async #finalize(ending: BatchEnding, batch: ClaimedBatch): Promise<undefined> {
    const { db, files } = this.#needs.services()
    const written = await writeAnswers(batch, files, this.#abort.signal)
    const isEnded = await endBatch(db, batch, { ending, ...written }, await this.#needs.announce(batch, ending))
    if (isEnded) this.#ended(ending)
    return undefined
  }

  #ended(state: BatchState): void {
    const { log, wakeDeliverer } = this.#needs
    // There is nothing to give back.
    this.#isLost = true
    log.info({ batch: this.id, state }, 'batch ended')
    wakeDeliverer()
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1

const INPUT_GONE: BatchProblem = {
  code: 'file_not_found',
  message: 'The input file was deleted, or has expired, before all lines were asked.',
  line: null,
  param: null,
}

const KEY_GONE: BatchProblem = {
  code: 'key_revoked',
  message: 'The key of this batch was revoked or has expired before all lines were asked.',
  line: null,
  param: null,
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
