import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { amountAt, type Limit } from '../../platform/config/spend-limits/limit.ts'
import { problem } from '../../contract/problems.ts'
import {
  endLeases,
  giveBackLease,
  readCalledBack,
  renewLeases,
  type WindowKey,
} from '../../platform/store/limits/leases.ts'
import type { Held } from './reservation.ts'
import { Share } from './share.ts'
import { type SourceOptions, sourceOf, windowKey } from './lease-sources.ts'
import { StoreClock } from './rates/store-clock.ts'
import { windowAt } from './windows.ts'

export type SharesOptions = SourceOptions & {
  now(): number
  monotonic(): number
  /** Waits for what other processes give back. */
  pause?: (ms: number) => Promise<unknown>
  /** Ledger lines of this process that the store does not have yet. */
  linesWaiting(): number
  log: Pick<Logger, 'warn' | 'debug'>
}

const RENEW_MS = 5_000
/** How often this process looks whether others have called its leases back. Calls of others wait that long. */
const LOOK_MS = 300
/** A call back of a lease that no share stands for: its rest was given back already, so it is lean until it ends. */
const ANSWERED_FOR_MS = 10_000
/** What no call of this process has used for a while is given back to the other processes. */
const IDLE_MS = 10_000
/** After this long without a call, no line is on its way any more, and the lease is ended as a whole. */
const OVER_MS = 90_000
const MAX_SHARES = 20_000
const EVERYTHING = 1e15

/** The shares of this process of all limits, and what has to be done for them from time to time. */
export class Shares {
  readonly #options: SharesOptions
  readonly #storeClock: StoreClock
  readonly #held = new Map<string, Held>()
  /** Those that others have called back. */
  readonly #lean = new Set<Held>()
  #timers: NodeJS.Timeout[] = []
  #isRenewing = false
  #isLooking = false

  constructor(options: SharesOptions) {
    this.#options = options
    this.#storeClock = new StoreClock(options.monotonic)
  }

  open(): void {
    if (this.#timers.length > 0) return
    this.#timers.push(setInterval(() => void this.tend(), RENEW_MS).unref())
    this.#timers.push(setInterval(() => void this.answerCalls(), LOOK_MS).unref())
  }

  /** A clean end: nothing stays reserved. Lines that the store does not have yet keep what they have spent. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    if (this.#held.size === 0) return
    await this.#end().catch((error) => {
      this.#options.log.warn({ error: String(error) }, 'leases of limits could not be given back')
    })
  }

  async #end(): Promise<void> {
    const { db, processName, linesWaiting } = this.#options
    const areSettled = linesWaiting() === 0
    // What was used of a rate is in no ledger line.
    for (const { share } of this.#held.values()) if (!areSettled || share.isUntold) await share.giveBack()
    if (areSettled) await endLeases(db, processName)
  }

  /** The share of a limit that calls use at this moment. */
  held(limit: Limit, bucket: string, now: number): Held {
    const key = nameOfShare(limit, bucket)
    const known = this.#held.get(key)
    if (known && now < known.end && known.limit === limit) {
      const cap = amountAt(limit, now)
      // An increase has ended: what was leased of it may be too much now.
      if (cap < known.cap) known.share.forget()
      known.cap = cap
      return known
    }
    return this.#newHeld(key, limit, bucket, now)
  }

  /** What this process has leased of a limit and not used. */
  freeOf(limit: Limit, bucket: string): number {
    const held = this.#held.get(nameOfShare(limit, bucket))
    return held && this.#options.now() < held.end && held.limit === limit ? Math.max(0, held.share.free) : 0
  }

  /** Tells the store what this process has used of a rate, and gives back the rest, so that what the store knows is exact. */
  async tellRate(limit: Limit, bucket: string): Promise<void> {
    const held = this.#held.get(nameOfShare(limit, bucket))
    if (held?.rate) await held.share.giveBack()
  }

  /** Limits that have changed get new shares; what was leased for the old ones is given back. */
  replaceLimits(limits: readonly Limit[]): void {
    const byId = new Map(limits.map((limit) => [limit.id, limit]))
    for (const [key, held] of this.#held) {
      const next = byId.get(held.limit.id)
      if (next === held.limit) continue
      if (next && countsTheSame(next, held.limit)) held.limit = next
      else this.#drop(key, held)
      held.share.forget()
    }
  }

  /** A part of this limit was freed. Other processes remember a refusal for a second at most. */
  freed(limit: string): void {
    for (const held of this.#held.values()) if (held.limit.id === limit) held.share.askAgain()
  }

  /** What others wait for is not kept: a slot, what they have called back, or the rest of a share that no new call uses. */
  settled({ limit, share, rate, isCurrent }: Held, overrun: number): void {
    const isWanted = limit.unit === 'concurrent' && this.#options.processCount() > 1
    if (!isCurrent || isWanted || share.isLean) void share.giveBack().catch(() => undefined)
    // Nothing was granted for this, so the others would not count it.
    else if (rate && overrun > 0) void share.tell().catch(() => undefined)
  }

  /** Gives back what other processes ask for, if no call uses it. */
  async answerCalls(): Promise<void> {
    if (this.#isLooking || this.#held.size === 0) return
    this.#isLooking = true
    try {
      for (const held of this.#lean) await this.#stayLean(held)
      const { db, processName } = this.#options
      for (const key of await readCalledBack(db, processName)) await this.#answerCall(key)
    } catch (error) {
      this.#options.log.debug({ error: String(error) }, 'leases of limits could not be given back')
    } finally {
      this.#isLooking = false
    }
  }

  async #answerCall(key: WindowKey): Promise<void> {
    const { db, processName } = this.#options
    const held = this.#held.get(nameOfShare({ id: key.limit }, key.bucket))
    if (held?.start !== key.start) return giveBackLease(db, { ...key, processName, leanMs: ANSWERED_FOR_MS }, 0)
    this.#lean.add(held)
    await held.share.answerCall()
  }

  /** What was granted for a call that did not take it in the end, and what was used of a rate. */
  async #stayLean(held: Held): Promise<void> {
    if (!held.share.isLean) this.#lean.delete(held)
    else await held.share.giveBack()
  }

  get list(): Iterable<Held> {
    return this.#held.values()
  }

  /** Renews leases, enlarges those that would not last, and gives back what is not used. */
  async tend(): Promise<void> {
    if (this.#isRenewing || this.#held.size === 0) return
    this.#isRenewing = true
    try {
      await this.#renew()
      await this.#giveBackIdle()
    } catch (error) {
      this.#options.log.debug({ error: String(error) }, 'leases of limits could not be renewed')
    } finally {
      this.#isRenewing = false
    }
  }

  async #renew(): Promise<void> {
    const { db, processName } = this.#options
    const askedAt = this.#options.monotonic()
    const ours = new Set((await renewLeases(db, processName)).map(nameOf))
    for (const held of this.#held.values()) {
      const isOurs = ours.has(nameOf(windowKey(held)))
      if (isOurs || held.share.free > 0) held.share.renewed(isOurs, askedAt)
      if (this.#isInUse(held)) held.share.keepUp()
      // Alerts look at what the store knows.
      if (held.rate && held.limit.alerts) void held.share.tell().catch(() => undefined)
    }
  }

  #isInUse({ share }: Held): boolean {
    return this.#options.monotonic() - share.usedAt < IDLE_MS
  }

  async #giveBackIdle(): Promise<void> {
    const { db, processName, now, monotonic, linesWaiting } = this.#options
    for (const [key, held] of this.#held) {
      if (held.share.reserved > 0 || (this.#isInUse(held) && now() < held.end)) continue
      await held.share.giveBack()
      if (monotonic() - held.share.usedAt < OVER_MS || linesWaiting() > 0) continue
      if (held.isCurrent) this.#drop(key, held)
      await giveBackLease(db, { ...windowKey(held), processName }, EVERYTHING)
    }
  }

  #newHeld(key: string, limit: Limit, bucket: string, now: number): Held {
    const before = this.#held.get(key)
    if (before) this.#replace(before)
    else if (this.#held.size >= MAX_SHARES) this.#makeRoom()
    const { start, end } = windowAt(limit, now)
    const cap = amountAt(limit, now)
    const place = { limit, bucket, start, end, cap, isCurrent: true }
    const { monotonic, pause = pauseFor } = this.#options
    const { source, rate } = sourceOf(place, this.#options, this.#storeClock)
    // The source reads the cap of the same object, which may change.
    const held: Held = Object.assign(place, { share: new Share(source, { monotonic, pause }), rate })
    this.#held.set(key, held)
    return held
  }

  #replace(held: Held): void {
    held.isCurrent = false
    this.#lean.delete(held)
    void held.share.giveBack().catch(() => undefined)
  }

  #drop(key: string, held: Held): void {
    held.isCurrent = false
    this.#lean.delete(held)
    this.#held.delete(key)
  }

  /** The oldest share that no call uses goes. */
  #makeRoom(): void {
    for (const [key, held] of this.#held) {
      const { share } = held
      if (share.reserved > 0) continue
      void share.giveBack().catch(() => undefined)
      this.#drop(key, held)
      return
    }
    throw problem('overloaded', { retryAfterSeconds: 1 })
  }
}

function pauseFor(ms: number): Promise<unknown> {
  return sleep(ms, undefined, { ref: false })
}

/** Whether what was spent of one limit counts for the other. */
function countsTheSame(one: Limit, other: Limit): boolean {
  return (['unit', 'window', 'timezone', 'per'] as const).every((member) => one[member] === other[member])
}

function nameOfShare({ id }: Pick<Limit, 'id'>, bucket: string): string {
  return `${id}\0${bucket}`
}

function nameOf({ limit, bucket, start }: WindowKey): string {
  return `${limit}\0${bucket}\0${start}`
}
