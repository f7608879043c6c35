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
import { touchSessions } from '../../platform/store/limits/sessions.ts'
import type { OpenWindow } from './reservation.ts'
import { Share } from './share.ts'
import { type SourceOptions, sourceOf, windowKey } from './lease-sources.ts'
import { bucketOf, type LimitedCall, sessionBucket } from './match-limits.ts'
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
  readonly #windows = new Map<string, OpenWindow>()
  /** Those that others have called back. */
  readonly #lean = new Set<OpenWindow>()
  #timers: NodeJS.Timeout[] = []
  #isRenewing = false
  /** When the store was last told which sessions are in use. */
  #touchedAt = Number.NEGATIVE_INFINITY
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
    if (this.#windows.size === 0) return
    await this.#end().catch((error) => {
      this.#options.log.warn({ error: String(error) }, 'leases of limits could not be given back')
    })
  }

  async #end(): Promise<void> {
    const { db, processName, linesWaiting } = this.#options
    const areSettled = linesWaiting() === 0
    for (const { share } of this.#windows.values()) {
      await share.sent()
      // What was used of a rate is in no ledger line.
      if (!areSettled || share.isUntold) await share.giveBack()
    }
    if (areSettled) await endLeases(db, processName)
  }

  /** The share of a limit that a call uses at this moment. */
  windowFor(limit: Limit, call: LimitedCall, now: number): OpenWindow {
    const bucket = bucketOf(limit, call)
    if (limit.per !== 'session') return this.windowOf(limit, bucket, now)
    const { keyId: key } = call.caller
    const session = { key, shared: sessionBucket(key, null) }
    const window = this.windowOf(limit, bucket, now, session)
    return this.isCrowded(window) ? this.windowOf(limit, session.shared, now, session) : window
  }

  /** Whether the key has too many sessions for this one to be counted apart. */
  isCrowded({ session }: OpenWindow): boolean {
    return session?.crowdedUntil !== undefined && this.#options.monotonic() < session.crowdedUntil
  }

  /** The share of one bucket of a limit at this moment. */
  windowOf(limit: Limit, bucket: string, now: number, session?: OpenWindow['session']): OpenWindow {
    const key = nameOfShare(limit, bucket)
    const existing = this.#windows.get(key)
    if (existing && now < existing.end && existing.limit === limit) {
      const cap = amountAt(limit, now)
      // An increase has ended: what was leased of it may be too much now.
      if (cap < existing.cap) existing.share.forget()
      existing.cap = cap
      return existing
    }
    return this.#openWindow(key, { limit, bucket, session }, now)
  }

  /** What this process has leased of a limit and not used. */
  freeOf(limit: Limit, bucket: string): number {
    const window = this.#windows.get(nameOfShare(limit, bucket))
    return window && this.#options.now() < window.end && window.limit === limit ? Math.max(0, window.share.free) : 0
  }

  /** Tells the store what this process has used of a rate, and gives back the rest, so that what the store knows is exact. */
  async tellRate(limit: Limit, bucket: string): Promise<void> {
    const window = this.#windows.get(nameOfShare(limit, bucket))
    if (window?.rate) await window.share.giveBack()
  }

  /** Limits that have changed get new shares; what was leased for the old ones is given back. */
  replaceLimits(limits: readonly Limit[]): void {
    const byId = new Map(limits.map((limit) => [limit.id, limit]))
    for (const [key, window] of this.#windows) {
      const next = byId.get(window.limit.id)
      if (next === window.limit) continue
      if (next && countsTheSame(next, window.limit)) window.limit = next
      else this.#drop(key, window)
      window.share.forget()
    }
  }

  /** A part of this limit was freed. Other processes remember a refusal for a second at most. */
  freed(limit: string): void {
    for (const window of this.#windows.values()) if (window.limit.id === limit) window.share.askAgain()
  }

  /** What others wait for is not kept: a slot, what they have called back, or the rest of a share that no new call uses. */
  settled({ limit, share, rate, isCurrent }: OpenWindow, overrun: number): void {
    const isWanted = limit.unit === 'concurrent' && this.#options.processCount() > 1
    if (!isCurrent || isWanted || share.isLean) void share.giveBack().catch(() => undefined)
    // Nothing was granted for this, so the others would not count it.
    else if (rate && overrun > 0) void share.tell().catch(() => undefined)
  }

  /** Gives back what other processes ask for, if no call uses it. */
  async answerCalls(): Promise<void> {
    if (this.#isLooking || this.#windows.size === 0) return
    this.#isLooking = true
    try {
      for (const window of this.#lean) await this.#stayLean(window)
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
    const window = this.#windows.get(nameOfShare({ id: key.limit }, key.bucket))
    if (window?.start !== key.start) return giveBackLease(db, { ...key, processName, leanMs: ANSWERED_FOR_MS }, 0)
    this.#lean.add(window)
    await window.share.answerCall()
  }

  /** What was granted for a call that did not take it in the end, and what was used of a rate. */
  async #stayLean(window: OpenWindow): Promise<void> {
    if (!window.share.isLean) this.#lean.delete(window)
    else await window.share.giveBack()
  }

  get list(): Iterable<OpenWindow> {
    return this.#windows.values()
  }

  /** Renews leases, enlarges those that would not last, and gives back what is not used. */
  async tend(): Promise<void> {
    if (this.#isRenewing || this.#windows.size === 0) return
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
    await touchSessions(db, this.#sessionsInUse(askedAt))
    const ours = new Set((await renewLeases(db, processName)).map(nameOf))
    for (const window of this.#windows.values()) {
      const isOurs = ours.has(nameOf(windowKey(window)))
      if (isOurs || window.share.free > 0) window.share.renewed(isOurs, askedAt)
      if (this.#isInUse(window)) window.share.keepUp()
      // Alerts look at what the store knows.
      if (window.rate && window.limit.alerts) void window.share.tell().catch(() => undefined)
    }
  }

  /** Sessions with a call since the store was told last, or with one that runs. */
  #sessionsInUse(now: number) {
    const since = this.#touchedAt
    this.#touchedAt = now
    const sessions = [...this.#windows.values()].filter(({ session, start }) => session && start > 0)
    const used = sessions.filter(({ share }) => share.reserved > 0 || share.usedAt >= since)
    return used.map(({ limit, bucket }) => ({ limit: limit.id, bucket }))
  }

  #isInUse({ share }: OpenWindow): boolean {
    return this.#options.monotonic() - share.usedAt < IDLE_MS
  }

  async #giveBackIdle(): Promise<void> {
    const { db, processName, now, monotonic, linesWaiting } = this.#options
    for (const [key, window] of this.#windows) {
      if (window.share.reserved > 0 || (this.#isInUse(window) && now() < window.end)) continue
      await window.share.giveBack()
      if (monotonic() - window.share.usedAt < OVER_MS || linesWaiting() > 0) continue
      if (window.isCurrent) this.#drop(key, window)
      await giveBackLease(db, { ...windowKey(window), processName }, EVERYTHING)
    }
  }

  #openWindow(key: string, counted: Pick<OpenWindow, 'limit' | 'bucket' | 'session'>, now: number): OpenWindow {
    const { limit } = counted
    const before = this.#windows.get(key)
    if (before) this.#replace(before)
    else if (this.#windows.size >= MAX_SHARES) this.#makeRoom()
    const { start, end } = windowAt(limit, now)
    const cap = amountAt(limit, now)
    const fields = { ...counted, start, end, cap, isCurrent: true }
    const { monotonic, pause = pauseFor } = this.#options
    const { source, rate } = sourceOf(fields, this.#options, this.#storeClock)
    // The source reads the cap of the same object, which may change.
    const window: OpenWindow = Object.assign(fields, { share: new Share(source, { monotonic, pause }), rate })
    this.#windows.set(key, window)
    return window
  }

  #replace(window: OpenWindow): void {
    window.isCurrent = false
    this.#lean.delete(window)
    void window.share.giveBack().catch(() => undefined)
  }

  #drop(key: string, window: OpenWindow): void {
    window.isCurrent = false
    this.#lean.delete(window)
    this.#windows.delete(key)
  }

  /** The oldest share that no call uses goes. */
  #makeRoom(): void {
    for (const [key, window] of this.#windows) {
      const { share } = window
      if (share.reserved > 0) continue
      void share.giveBack().catch(() => undefined)
      this.#drop(key, window)
      return
    }
    throw problem('overloaded', { retryAfterSeconds: 1 })
  }
}

export function pauseFor(ms: number): Promise<unknown> {
  return sleep(ms, undefined, { ref: false })
}

/** Whether what was spent of one limit counts for the other. */
function countsTheSame(one: Limit, other: Limit): boolean {
  return (['unit', 'window', 'timezone', 'per', 'maxSessions'] as const).every(
    (member) => one[member] === other[member],
  )
}

function nameOfShare({ id }: Pick<Limit, 'id'>, bucket: string): string {
  return `${id}\0${bucket}`
}

function nameOf({ limit, bucket, start }: WindowKey): string {
  return `${limit}\0${bucket}\0${start}`
}
