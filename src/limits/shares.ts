import type { Logger } from 'pino'
import { amountAt, isRate, type Limit } from '../config/spend-limits/limit.ts'
import { problem } from '../contract/problems.ts'
import { endLeases, giveBackLease, renewLeases, type WindowKey } from '../store/limits/leases.ts'
import type { Held } from './reservation.ts'
import { Share } from './share.ts'
import { LEASE_MS, type SourceOptions, sourceOf, windowKey } from './share-sources.ts'
import { windowAt } from './windows.ts'

export type SharesOptions = SourceOptions & {
  now(): number
  monotonic(): number
  /** Ledger lines of this process that the store does not have yet. */
  linesWaiting(): number
  log: Pick<Logger, 'warn' | 'debug'>
}

const RENEW_MS = 5_000
/** What nobody has used for a while is given back to the other processes. */
const IDLE_MS = 10_000
/** After this long without a call, no line is on its way any more, and the lease is ended as a whole. */
const OVER_MS = 90_000
const MAX_SHARES = 20_000
const EVERYTHING = 1e15

/** The shares of this process of all limits, and what has to be done for them from time to time. */
export class Shares {
  readonly #options: SharesOptions
  readonly #held = new Map<string, Held>()
  #timer: NodeJS.Timeout | undefined
  #isRenewing = false

  constructor(options: SharesOptions) {
    this.#options = options
  }

  open(): void {
    this.#timer ??= setInterval(() => void this.tend(), RENEW_MS).unref()
  }

  /** A clean end: nothing stays reserved. Lines that the store does not have yet keep what they have spent. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#held.size === 0) return
    await this.#end().catch((error) => {
      this.#options.log.warn({ error: String(error) }, 'leases of limits could not be given back')
    })
  }

  async #end(): Promise<void> {
    const { db, processName, linesWaiting } = this.#options
    const areSettled = linesWaiting() === 0
    // What was used of a rate without a grant is in no lease and in no ledger line. What is granted beyond that flows off by itself.
    for (const { share } of this.#held.values()) if (!areSettled || share.free <= 0) await share.giveBack()
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

  /** What others wait for is not kept: a slot, or the rest of a share that no new call uses. Nor is a debt, which they have to know. */
  settled(held: Held): void {
    const { limit, share, isCurrent } = held
    const isWanted = limit.unit === 'concurrent' && this.#options.processCount() > 1
    if (!isCurrent || isWanted || share.free < 0) void share.giveBack().catch(() => undefined)
  }

  get list(): Iterable<Held> {
    return this.#held.values()
  }

  /** Renews leases, and gives back what is not used. */
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
    const leased = [...this.#held.values()].filter(({ limit }) => !isRate(limit))
    if (leased.length === 0) return
    const ours = new Set((await renewLeases(db, processName, LEASE_MS)).map(nameOf))
    for (const held of leased) {
      const isOurs = ours.has(nameOf(windowKey(held)))
      if (isOurs || held.share.free > 0) held.share.renewed(isOurs)
    }
  }

  async #giveBackIdle(): Promise<void> {
    const { db, processName, now, monotonic, linesWaiting } = this.#options
    for (const [key, held] of this.#held) {
      const idleMs = monotonic() - held.share.usedAt
      if (held.share.reserved > 0 || (idleMs < IDLE_MS && now() < held.end)) continue
      await held.share.giveBack()
      if (idleMs < OVER_MS || linesWaiting() > 0) continue
      if (held.isCurrent) this.#drop(key, held)
      if (!isRate(held.limit)) await giveBackLease(db, { ...windowKey(held), processName }, EVERYTHING)
    }
  }

  #newHeld(key: string, limit: Limit, bucket: string, now: number): Held {
    const before = this.#held.get(key)
    if (before) this.#replace(before)
    else if (this.#held.size >= MAX_SHARES) this.#makeRoom()
    const { start, end } = windowAt(limit, now)
    const cap = amountAt(limit, now)
    const held: Held = { limit, bucket, start, end, cap, share: undefined as never, isCurrent: true }
    held.share = new Share(sourceOf(held, this.#options), this.#options.monotonic)
    this.#held.set(key, held)
    return held
  }

  #replace(held: Held): void {
    held.isCurrent = false
    void held.share.giveBack().catch(() => undefined)
  }

  #drop(key: string, held: Held): void {
    held.isCurrent = false
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

/** Whether what was spent of one limit counts for the other. */
function countsTheSame(one: Limit, other: Limit): boolean {
  return (['unit', 'window', 'timezone', 'per'] as const).every((member) => one[member] === other[member])
}

function nameOfShare({ id }: Limit, bucket: string): string {
  return `${id}\0${bucket}`
}

function nameOf({ limit, bucket, start }: WindowKey): string {
  return `${limit}\0${bucket}\0${start}`
}
