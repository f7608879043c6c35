import { hasWindows, isRate, type Limit } from '../../platform/config/spend-limits/limit.ts'
import { fromAmount } from '../../platform/config/spend-limits/limit-entry.ts'
import { withoutDust } from '../billing/token-buckets.ts'
import { toNanos } from '../../platform/store/ledger/money.ts'
import { type Charge, chargeable } from '../../platform/store/limits/charges.ts'
import { concernsTarget } from './match-limits.ts'
import type { RateUses } from './rates/rate-uses.ts'
import type { Share } from './share.ts'
import { assumedCost } from './worst-case.ts'

/** What this process holds of one window of a limit, for one bucket. */
export type OpenWindow = {
  limit: Limit
  bucket: string
  /** Of the window, in milliseconds since 1970: 0 and infinity for rates, slots and totals. */
  start: number
  end: number
  /** The amount of the limit at this moment, with its increase. */
  cap: number
  share: Share
  /** Of a limit per session. */
  session?: CountedSession | undefined
  /** Of a rate. */
  rate?: RateUses | undefined
  /** False when calls that begin now use another share. */
  isCurrent: boolean
}

/** The key of a session, the bucket of its calls that are not counted apart, and until when the session is one of those. */
type CountedSession = { key: string; shared: string; crowdedUntil?: number | undefined }

/** A limit, its unit, and what a call has used of it, in that unit. */
export type Counted = [limit: string, unit: Limit['unit'], used: number]

/** What a call has used of one model. A model may occur several times. */
export type ModelUse = {
  readonly model: string
  /** The id of its provider. */
  readonly provider: string
  /** In USD; null if unknown. */
  readonly cost: number | null
  readonly inputTokens: number
  readonly outputTokens: number
}

type Entry = {
  window: OpenWindow
  reserved: number
  /** When the first part of it was taken, if that matters. */
  slot: number | undefined
  /** Reserved for the latest attempt, and which attempt that is; undefined if none was admitted. */
  latest: number
  attempt: object | undefined
  /** Reserved for attempts that have ended, and not used by them: the next attempt may use it. */
  reusable: number
  /** What the call has used of it, when it has ended. */
  used: number
  /** The batch that has reserved for this call when it was handed to a provider, and the window in which it did. */
  held: { holder: string; start: number } | undefined
}

type Taken = { window: OpenWindow; missing: number; amount: number; slot?: number | undefined }

/** The process whose leases cover a call, and where more use than was reserved is reported. */
export type Settling = {
  processName: string
  overran(limit: Limit): void
  settled(window: OpenWindow, overrun: number): void
}

/** What a call has reserved of all limits that apply to it. Hooks and other calls inside of it share it. */
export class Reservation {
  readonly #settling: Settling
  readonly #entries: Entry[] = []
  readonly #unreserved: OpenWindow[] = []
  #charges: Charge[] | undefined

  constructor(settling: Settling) {
    this.#settling = settling
  }

  /** The limits of the latest attempt, also of one that was refused, and when they were looked at, in milliseconds since 1970. */
  latest: { windows: readonly OpenWindow[]; at: number } = { windows: [], at: 0 }

  /** These limits have to pay for an order of an earlier execution, whether or not an attempt of this one is admitted. */
  mayCharge(windows: readonly OpenWindow[]): void {
    this.#unreserved.push(...windows)
  }

  /** What a batch holds of this window pays for the call, and the share of this process does not. */
  payFrom(window: OpenWindow, held: { holder: string; start: number }): void {
    const entry = this.#entryOf(window.share) ?? this.#newEntry(window)
    entry.held = held
  }

  /** How much of the amount has to be taken in addition to what the call has already. */
  missing({ limit, share }: OpenWindow, amount: number): number {
    const entry = this.#entryOf(share)
    if (!entry) return amount
    const isOncePerCall = limit.unit === 'requests' || limit.unit === 'concurrent'
    return isOncePerCall ? 0 : Math.max(0, amount - entry.reusable)
  }

  /** An attempt is about to be sent. If the call has ended while it waited for its share, it gives that back. */
  add(attempt: object, taken: readonly Taken[]): void {
    if (this.#charges) return this.#giveBack(taken)
    for (const { window, missing, amount, slot } of taken) {
      const entry = this.#entryOf(window.share) ?? this.#newEntry(window)
      entry.reserved += missing
      entry.slot ??= slot
      entry.latest = amount
      entry.attempt = attempt
      entry.reusable = 0
    }
  }

  #giveBack(taken: readonly Taken[]): void {
    for (const { window, missing, slot } of taken) this.#settling.settled(window, window.share.settle(missing, 0, slot))
  }

  /** This attempt failed and cost nothing. */
  reuse(attempt: object): void {
    for (const entry of this.#entries)
      if (entry.attempt === attempt) entry.reusable = Math.min(entry.latest, entry.reserved)
  }

  /** Nothing is asked at the moment, and this is what was used so far: the next attempt may use what is left of the reservations. */
  free(uses: readonly ModelUse[]): void {
    for (const entry of this.#entries) entry.reusable = Math.max(0, entry.reserved - usedBy(entry, uses))
  }

  /** Ends the reservation, and returns what the ledger line is charged to. The first end counts. */
  settle(uses: readonly ModelUse[]): readonly Charge[] | null {
    this.#charges ??= this.#settleAll(uses)
    return this.#charges.length > 0 ? this.#charges : null
  }

  /** The charges of these uses, if another process pays for the others, or if this one dies. */
  chargesOf(uses: readonly ModelUse[]): readonly Charge[] {
    const ofEntries = this.#entries.map((entry) => this.#chargeOf(entry, chargeable(usedBy(entry, uses))))
    return [...ofEntries, ...this.#others().map((window) => this.#chargeOfUses(window, uses))].filter(isCharge)
  }

  /** Ends the reservation of a call that was only submitted. Returns the limits that have counted it. */
  release(): string[] {
    this.#charges = []
    for (const entry of this.#entries) {
      entry.used = countsSubmission(entry.window.limit) ? 1 : 0
      this.#settleOne(entry)
    }
    return this.#entries.filter(({ used }) => used > 0).map(({ window }) => window.limit.id)
  }

  /** The limits that a call was counted against, or that refused it, with what it has used of them, or will have used. */
  counted(uses?: readonly ModelUse[]): Counted[] {
    const counted = this.#entries.map((entry) => {
      return countedOf(entry.window, uses ? chargeable(usedBy(entry, uses)) : entry.used)
    })
    for (const window of this.latest.windows) if (!this.#entryOf(window.share)) counted.push(countedOf(window, 0))
    return counted
  }

  /** The charges of a line beside the call's own: something was paid after the call had ended. */
  chargesOfMore(use: ModelUse): readonly Charge[] {
    return this.#entries.map((entry) => this.#chargeOfUses(entry.window, [use], entry.held)).filter(isCharge)
  }

  #settleAll(uses: readonly ModelUse[]): Charge[] {
    const charges: Charge[] = []
    if (uses.length > 0) for (const window of this.#others()) this.#newEntry(window)
    for (const entry of this.#entries) {
      // Also the share in memory has to stay a number.
      entry.used = chargeable(usedBy(entry, uses))
      this.#settleOne(entry)
      const charge = this.#chargeOf(entry, entry.used)
      if (charge) charges.push(charge)
    }
    return charges
  }

  /** The limits that have to pay, if anything, although nothing is reserved of them. */
  #others(): OpenWindow[] {
    return this.#unreserved.filter(({ share }) => !this.#entryOf(share))
  }

  #settleOne({ window, reserved, used, slot, held }: Entry): void {
    const { limit, share } = window
    const overrun = share.settle(reserved, held || limit.unit === 'concurrent' ? 0 : used, slot)
    if (overrun > 0 && limit.mode === 'enforce' && !isRate(limit)) this.#settling.overran(limit)
    this.#settling.settled(window, overrun)
  }

  /** Undefined if the ledger does not settle this limit. */
  #chargeOf(
    { window: { limit, bucket, start }, held }: Pick<Entry, 'window' | 'held'>,
    used: number,
  ): Charge | undefined {
    if (used === 0 || !hasWindows(limit)) return undefined
    return [limit.id, bucket, held?.start ?? start, used, held?.holder ?? this.#settling.processName]
  }

  #chargeOfUses(window: OpenWindow, uses: readonly ModelUse[], held?: Entry['held']): Charge | undefined {
    return this.#chargeOf({ window, held }, chargeable(usedOf(window.limit, ownOf(window.limit, uses)) ?? 0))
  }

  /** A call has a few limits, and finding one in a list is faster than in a map. */
  #entryOf(share: Share): Entry | undefined {
    for (const entry of this.#entries) if (entry.window.share === share) return entry
    return undefined
  }

  #newEntry(window: OpenWindow): Entry {
    const entry = {
      window,
      reserved: 0,
      slot: undefined,
      latest: 0,
      attempt: undefined,
      reusable: 0,
      used: 0,
      held: undefined,
    }
    this.#entries.push(entry)
    return entry
  }
}

/** What the call uses of it. A request is counted where it was admitted, and only once. */
function usedBy({ window: { limit }, attempt, reserved, held }: Entry, uses: readonly ModelUse[]): number {
  if (limit.unit === 'requests') return reserved > 0 || held || (attempt && limit.mode === 'shadow') ? 1 : 0
  return usedOf(limit, ownOf(limit, uses)) ?? reserved
}

/** A limit of some models or providers only pays for those. */
function ownOf(limit: Limit, uses: readonly ModelUse[]): readonly ModelUse[] {
  if (!limit.models && !limit.providers) return uses
  return uses.filter(({ model: id, provider }) => concernsTarget(limit, { id, provider: { id: provider } }))
}

function isCharge(charge: Charge | undefined): charge is Charge {
  return charge !== undefined
}

/** Long windows are charged by ledger lines, and a submission has none. */
export function countsSubmission(limit: Limit): boolean {
  return limit.unit === 'requests' && isRate(limit)
}

function countedOf({ limit }: OpenWindow, used: number): Counted {
  return [limit.id, limit.unit, fromAmount(used, limit.unit)]
}

/** Null if a cost is not known; then everything that was reserved is gone. */
function usedOf(limit: Limit, uses: readonly ModelUse[]): number | null {
  switch (limit.unit) {
    case 'usd':
      return costIn(limit, uses)
    case 'requests':
    case 'concurrent':
      return 0
    default:
      return uses.reduce((sum, use) => sum + tokensIn(limit.unit, use), 0)
  }
}

function tokensIn(unit: Limit['unit'], { inputTokens, outputTokens }: ModelUse): number {
  if (unit === 'input_tokens') return inputTokens
  return unit === 'output_tokens' ? outputTokens : inputTokens + outputTokens
}

/** In billionths of a dollar. What is known is rounded as a whole, as in the ledger line. */
function costIn(limit: Limit, uses: readonly ModelUse[]): number | null {
  let priced = 0
  let assumed = 0
  for (const { cost, inputTokens, outputTokens } of uses) {
    if (cost !== null) {
      priced += cost
      continue
    }
    const nanos = assumedCost(limit, inputTokens, outputTokens)
    if (nanos === null) return null
    assumed += nanos
  }
  return (toNanos(withoutDust(priced)) ?? 0) + assumed
}
