import { DAY_MS } from '../../base/units/units.ts'
import { hasWindows, type Limit } from '../../platform/config/spend-limits/limit.ts'
import { COUNTS_FOREVER, endLeases, takeLimitLease } from '../../platform/store/limits/leases.ts'
import type { Hold, HeldWindow } from './hold.ts'
import { Problem, problem } from '../../contract/problems.ts'
import { StoreUnavailable } from '../../platform/store/database.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { exhausted, unpriced } from './refusals.ts'
import { concernsTarget, type LimitedCall, type LimitedCaller, type LimitedTarget, LimitIndex } from './match-limits.ts'
import { countsSubmission, type OpenWindow, Reservation, type Settling } from './reservation.ts'
import type { Share } from './share.ts'
import type { Patience } from './share-source.ts'
import { pauseFor, Shares, type SharesOptions } from './shares.ts'
import { imposed, isEnough, lowered, MAX_LOWERINGS, ofEach, tokensThatFit } from './lower-answer.ts'
import { takeAll, takeNow } from './take-all.ts'
import { amountFor, inputPart, ofFreeOrPaid, outputPart, type WorstCase } from './worst-case.ts'

/** A call as limits see it. */
type SpendingCall = LimitedCall & {
  /** Raised when the call has no time left, or its caller has gone. */
  signal?: AbortSignal | undefined
  /** Limits that counted this call when it was submitted to run later: they do not count it again. */
  countedBy?: readonly string[] | undefined
  /** It is only submitted, and runs later. */
  isSubmission?: boolean | undefined
  /** Keeps what the call reserves. */
  spending: { reserveWith(make: () => Reservation): Reservation }
}

/** The most that an attempt can use. */
export type Cases<Target> = {
  worstCase(target: Target): WorstCase
  /** The same, counted exactly, where that is possible. It takes a while, so it is done only for a call that does not fit. */
  exactCase?: ((target: Target) => Promise<WorstCase | undefined>) | undefined
}

type SpendingTarget = LimitedTarget & { provider: { id: string; free?: boolean | undefined } }

/** What an attempt that may be sent has to keep to. */
type ReservedAttempt = {
  /** Tokens of each answer. */
  maxOutput: number | undefined
  /** The attempt failed and cost nothing, so the next one may use what was reserved. */
  reuse(): void
}

type SpendLimitsOptions = SharesOptions & { metrics: Pick<Metrics, 'budgetOverran' | 'shadowExceeded'> }

type Attempted = {
  call: SpendingCall
  target: SpendingTarget
  limits: readonly Limit[]
  reservation: Reservation
  /** Absent if the tokens are counted already, or cannot be. */
  exactCase?: (() => Promise<WorstCase | undefined>) | undefined
}
/** What an attempt needs of a limit, and how much of that it does not have yet. */
type Need = { window: OpenWindow; share: Share; amount: number; missing: number; slot?: number | undefined }

/** How long a call may wait for what other processes hold and do not use. */
const CALL_BACK_MS = 2_000

const STORE_RETRY_SECONDS = 1
/** What other processes hold and do not use is given back soon after it was asked for. */
const CALL_BACK_PAUSE_MS = 200
/** Longer than a batch takes. What is held counts until it is released. */
const HOLD_MS = 30 * DAY_MS

/** All budgets and rate limits of this process: what an attempt at a provider can use is reserved here before it is sent. */
export class SpendLimits {
  readonly #options: SpendLimitsOptions
  readonly shares: Shares
  #index = new LimitIndex([])
  readonly #settling: Settling

  constructor(options: SpendLimitsOptions) {
    this.#options = options
    this.shares = new Shares(options)
    const { processName, metrics } = options
    this.#settling = {
      processName,
      overran: ({ id }) => metrics.budgetOverran(id),
      settled: (window, overrun) => this.shares.settled(window, overrun),
    }
  }

  get all(): readonly Limit[] {
    return this.#index.all
  }

  /** Other limits apply from now on. Calls that run settle what they have reserved. */
  replace(limits: readonly Limit[]): void {
    this.#index = new LimitIndex(limits)
    this.shares.replaceLimits(limits)
  }

  /** The limits of a call, including those that concern only some of its targets. */
  limitsOf(call: LimitedCall): readonly Limit[] {
    return this.#index.limitsOf(call)
  }

  /** The limits that a call of this caller may be counted against: also those of some endpoints and tags only. */
  limitsOfCaller(caller: LimitedCaller): readonly Limit[] {
    return this.#index.limitsOfCaller(caller)
  }

  /**
   * Reserves the most that this attempt can use of every limit that applies, of all of them or of none. Undefined if none
   * applies. Waits only if a lease has to be taken; throws a problem for the caller if a limit has no room.
   */
  reserve<Target extends SpendingTarget>(
    call: SpendingCall,
    target: Target,
    { worstCase, exactCase }: Cases<Target>,
  ): ReservedAttempt | undefined | Promise<ReservedAttempt | undefined> {
    if (this.#index.all.length === 0) return undefined
    const ofCall = this.#index.limitsOf(call)
    if (ofCall.length === 0) return undefined
    const reservation = call.spending.reserveWith(() => new Reservation(this.#settling))
    const limits = notCountedYet(call, limitsOn(target, ofCall))
    if (limits.length === 0) return undefined
    const attempt = { call, target, limits, reservation }
    const worst = ofFreeOrPaid(worstCase(target), target)
    const needs = this.#needs(worst, attempt)
    if (takeNow(needs)) return reservedAttempt(attempt, needs, imposed(worst, limits))
    return this.#reserveSlowly(worst, { ...attempt, exactCase: exactCase && (() => exactCase(target)) })
  }

  /** The call may have to pay for this target without an attempt at it, because an earlier execution has asked it. */
  mayCharge(call: SpendingCall, target: SpendingTarget): void {
    const limits = notCountedYet(call, limitsOn(target, this.#index.limitsOf(call)))
    if (limits.length === 0) return
    const now = this.#options.now()
    const reservation = call.spending.reserveWith(() => new Reservation(this.#settling))
    reservation.mayCharge(limits.map((limit) => this.shares.windowFor(limit, call, now)))
  }

  /**
   * What a line of a batch can use at most of budgets and other limits with a window; undefined if only the gateway itself can ask it: the
   * price is not known, or a session begins with it. Rates and slots are for calls that run.
   */
  needsOf<Target extends SpendingTarget>(
    call: LimitedCall,
    target: Target,
    worst: WorstCase,
  ): HeldWindow[] | undefined {
    const needs: HeldWindow[] = []
    const now = this.#options.now()
    for (const limit of limitsOn(target, this.#index.limitsOf(call))) {
      if (!hasWindows(limit)) continue
      if (limit.per === 'session') return undefined
      const window = this.shares.windowFor(limit, call, now)
      const amount = amountFor(limit, worst, window.cap)
      if (amount === null && limit.mode === 'enforce') return undefined
      needs.push([limit.id, window.bucket, window.start, amount ?? 0])
    }
    return needs
  }

  /** Holds this much of windows for a batch, as long as it takes, or nothing. Throws a problem that names the limit without room. */
  async hold(holder: string, windows: readonly HeldWindow[]): Promise<void> {
    try {
      for (const window of windows) await this.#holdOne(holder, window)
    } catch (error) {
      await this.release(holder)
      throw error
    }
  }

  async #holdOne(holder: string, [id, bucket, start, need]: HeldWindow): Promise<void> {
    const limit = this.#index.all.find((one) => one.id === id)
    if (limit?.mode !== 'enforce' || need === 0) return
    const { db, now, monotonic, pause = pauseFor } = this.#options
    const window = { ...this.shares.windowOf(limit, bucket, now()), start }
    const lease = { limit: id, bucket, start, processName: holder, need, want: need, processCount: 1 }
    const until = monotonic() + CALL_BACK_MS
    for (;;) {
      const ask = { ...lease, amount: window.cap, forMs: HOLD_MS, countsMs: COUNTS_FOREVER, callsBack: true }
      const { granted, callable, ...sums } = await takeLimitLease(db, ask)
      if (granted > 0) return
      if (callable === 0 || monotonic() > until) {
        const refusal = { ...sums, need, mayComeBack: false }
        throw exhausted({ window, refusal, needed: need, now: now() })
      }
      await pause(CALL_BACK_PAUSE_MS)
    }
  }

  /** The batch has ended, and the ledger has its lines. */
  async release(holder: string): Promise<void> {
    await endLeases(this.#options.db, holder)
  }

  /** What was held for the batch of a call pays for it. */
  payFrom({ holder, windows }: Hold, { call, target }: { call: SpendingCall; target: SpendingTarget }): void {
    const limits = limitsOn(target, this.#index.limitsOf(call)).filter(hasWindows)
    if (limits.length === 0) return
    const now = this.#options.now()
    const reservation = call.spending.reserveWith(() => new Reservation(this.#settling))
    for (const limit of limits) {
      const window = this.shares.windowFor(limit, call, now)
      const held = windows.find(([id, bucket]) => id === limit.id && bucket === window.bucket)
      reservation.payFrom(window, { holder, start: held?.[2] ?? window.start })
    }
  }

  /**
   * Refuses a call that is to run later if no target could be asked now. Only rates of requests count the submission; everything
   * else is reserved when the call runs. Returns the limits that counted it.
   */
  async submit<Target extends SpendingTarget>(
    call: Omit<SpendingCall, 'isSubmission' | 'spending'>,
    targets: readonly Target[],
    cases: Cases<Target>,
  ): Promise<string[]> {
    let reservation: Reservation | undefined
    const spending = { reserveWith: (make: () => Reservation) => (reservation ??= make()) }
    let refusal: unknown
    for (const target of targets) {
      try {
        await this.reserve({ ...call, spending, isSubmission: true }, target, cases)
        return reservation?.release() ?? []
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        refusal = error
      }
    }
    throw refusal
  }

  /** What the attempt needs of each limit. The reservation notes these limits, because the headers of a refusal list them too. */
  #needs(worst: WorstCase, { limits, call, target, reservation }: Attempted): Need[] {
    const now = this.#options.now()
    const needs = limits.map((limit) => {
      const window = this.shares.windowFor(limit, call, now)
      const amount = amountFor(limit, worst, window.cap)
      if (amount === null && limit.mode === 'enforce') throw unpriced(window, target)
      return {
        window,
        share: window.share,
        amount: amount ?? 0,
        missing: reservation.missing(window, amount ?? 0),
      }
    })
    reservation.latest = { windows: needs.map(({ window }) => window), at: now }
    return needs
  }

  async #reserveSlowly(worst: WorstCase, attempt: Attempted): Promise<ReservedAttempt> {
    let fitting = worst
    const patience = { until: this.#options.monotonic() + CALL_BACK_MS, signal: attempt.call.signal }
    for (let tries = 0; ; tries++) {
      const needs = this.#needs(fitting, attempt)
      const refused = await this.#take(needs, patience)
      if (!refused)
        return reservedAttempt(attempt, needs, fitting === worst ? imposed(worst, attempt.limits) : ofEach(fitting))
      const { need, refusal } = refused
      // The key has too many sessions. The call shares what calls without a session have.
      if (this.shares.isCrowded(need.window)) continue
      const room = need.window.cap - refusal.spent - refusal.leased + Math.max(0, need.window.share.free)
      const exact = countingHelps(need, worst, room) ? await attempt.exactCase?.() : undefined
      if (exact) return this.#reserveSlowly(ofFreeOrPaid(exact, attempt.target), { ...attempt, exactCase: undefined })
      const fits = tokensThatFit({ ...need, limit: need.window.limit }, fitting, room)
      const now = this.#options.now()
      if (tries < MAX_LOWERINGS && isEnough(fits, worst) && fits < fitting.outputTokens) fitting = lowered(worst, fits)
      else
        throw exhausted({
          window: need.window,
          refusal,
          needed: need.amount,
          now,
          suggestion: suggestionFor(need, fits),
        })
    }
  }

  /** Everything that enforced limits need, or nothing. Shadow limits are asked, and never refuse. */
  async #take(needs: readonly Need[], patience: Patience) {
    const enforced = needs.filter(({ window }) => window.limit.mode === 'enforce')
    const shadows = needs.filter(({ window }) => window.limit.mode === 'shadow')
    try {
      const refused = await takeAll(enforced, patience)
      if (refused) return refused
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      throw problem('unavailable', { message: NO_STORE, retryAfterSeconds: STORE_RETRY_SECONDS })
    }
    for (const need of shadows) await this.#takeInShadow(need)
    return undefined
  }

  async #takeInShadow(need: Need): Promise<void> {
    const { share, limit } = need.window
    const refusal = await share.fill(need.missing).catch(() => undefined)
    // A shadow limit makes no call wait. As long as other processes may give back, the gateway cannot tell whether it is exceeded.
    if (refusal && !refusal.mayComeBack) this.#options.metrics.shadowExceeded(limit.id)
    if (share.has(need.missing)) need.slot = share.take(need.missing)
    else need.missing = 0
  }
}

/** Few limits are about some models or providers only. */
function limitsOn(target: SpendingTarget, limits: readonly Limit[]): readonly Limit[] {
  const isOn = (limit: Limit) => concernsTarget(limit, target)
  return limits.every(isOn) ? limits : limits.filter(isOn)
}

/**
 * A rate of requests counts a call that runs later when it is submitted, and only then. Slots are for calls that run, and a
 * shadow limit is not to report the same call twice.
 */
function notCountedYet({ isSubmission, countedBy }: SpendingCall, limits: readonly Limit[]): readonly Limit[] {
  if (isSubmission)
    return limits.filter(
      (limit) => countsSubmission(limit) || (limit.mode === 'enforce' && limit.unit !== 'concurrent'),
    )
  return countedBy ? limits.filter(({ id }) => !countedBy.includes(id)) : limits
}

function reservedAttempt(
  { reservation }: Attempted,
  needs: readonly Need[],
  maxOutput: number | undefined,
): ReservedAttempt {
  const reserved = { maxOutput, reuse: () => reservation.reuse(reserved) }
  reservation.add(reserved, needs)
  return reserved
}

/** Whether the call would fit if its prompt had no tokens at all. */
function countingHelps({ window: { limit }, missing }: Need, worst: WorstCase, room: number): boolean {
  return missing - inputPart(limit, worst) - (limit.onExceeded === 'clamp' ? outputPart(limit, worst) : 0) <= room
}

const NO_STORE = 'The gateway cannot look up the budgets and rate limits of this call at the moment. Try again shortly.'

function suggestionFor({ window }: Need, fits: number): string {
  if (window.limit.unit !== 'usd') return ''
  return fits > 0
    ? ` It could pay for ${fits} tokens: set max_tokens to at most that.`
    : ' A shorter prompt or a cheaper model may fit.'
}
