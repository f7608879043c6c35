import { hasWindows, isRate, type Limit } from '../config/spend-limits/limit.ts'
import { fromAmount } from '../config/spend-limits/limit-entry.ts'
import { withoutDust } from '../billing/token-buckets.ts'
import { toNanos } from '../store/ledger/money.ts'
import { type Charge, chargeable } from '../store/limits/charges.ts'
import type { RateUses } from './rates/rate-uses.ts'
import type { Share } from './share.ts'
import { assumedCost } from './worst-case.ts'

/** What this process holds of one window of a limit, for one bucket. */
export type Held = {
  limit: Limit
  bucket: string
  /** Of the window, in milliseconds since 1970: 0 and infinity for rates, slots and totals. */
  start: number
  end: number
  /** The amount of the limit at this moment, with its increase. */
  cap: number
  share: Share
  /** Of a rate. */
  rate?: RateUses | undefined
  /** False when calls that begin now use another share. */
  isCurrent: boolean
}

/** A limit, its unit, and what a call has used of it, in that unit. */
export type Counted = [limit: string, unit: Limit['unit'], used: number]

/** What a call has used of one model. A model may occur several times. */
export type ModelUse = {
  readonly model: string
  /** In USD; null if unknown. */
  readonly cost: number | null
  readonly inputTokens: number
  readonly outputTokens: number
}

type Entry = {
  held: Held
  reserved: number
  /** When the first part of it was taken, if that matters. */
  slot: number | undefined
  /** Reserved for the latest attempt, and which attempt that is. */
  latest: number
  attempt: object | undefined
  /** Reserved for an attempt that failed and cost nothing: the next attempt may use it. */
  reusable: number
  /** The models of its attempts. There are seldom more than one, so here and below a list is faster than a set. */
  models: string[]
  /** What the call has used of it, when it has ended. */
  used: number
}

type Taken = { held: Held; missing: number; amount: number; slot?: number | undefined }

/** The process whose leases cover a call, and where more use than was reserved is reported. */
export type Settling = { processName: string; overran(limit: Limit): void; settled(held: Held, overrun: number): void }

/** What a call has reserved of all limits that apply to it. Hooks and other calls inside of it share it. */
export class Reservation {
  readonly #settling: Settling
  readonly #entries: Entry[] = []
  readonly #models: string[] = []
  #charges: Charge[] | undefined

  constructor(settling: Settling) {
    this.#settling = settling
  }

  /** The limits of the latest attempt, also of one that was refused. */
  latest: { held: readonly Held[]; at: number; model: string } = { held: [], at: 0, model: '' }

  /** How much of the amount has to be taken in addition to what the call has already. */
  missing({ limit, share }: Held, amount: number): number {
    const entry = this.#entryOf(share)
    if (!entry) return amount
    const isOncePerCall = limit.unit === 'requests' || limit.unit === 'concurrent'
    return isOncePerCall ? 0 : Math.max(0, amount - entry.reusable)
  }

  /** This model is asked, whether or not a limit is about it: no limit pays for models that it is not about. */
  tries(model: string): void {
    addOnce(this.#models, model)
  }

  /** An attempt at this model is about to be sent. If the call has ended while it waited for its share, it gives that back. */
  add(attempt: object, model: string, taken: readonly Taken[]): void {
    if (this.#charges) return this.#giveBack(taken)
    for (const { held, missing, amount, slot } of taken) {
      const entry = this.#entryOf(held.share) ?? this.#newEntry(held)
      entry.reserved += missing
      entry.slot ??= slot
      entry.latest = amount
      entry.attempt = attempt
      entry.reusable = 0
      addOnce(entry.models, model)
    }
  }

  #giveBack(taken: readonly Taken[]): void {
    for (const { held, missing, slot } of taken) this.#settling.settled(held, held.share.settle(missing, 0, slot))
  }

  /** This attempt failed and cost nothing. */
  reuse(attempt: object): void {
    for (const entry of this.#entries)
      if (entry.attempt === attempt) entry.reusable = Math.min(entry.latest, entry.reserved)
  }

  /** Ends the reservation, and returns what the ledger line is charged to. The first end counts. */
  settle(uses: readonly ModelUse[]): readonly Charge[] | null {
    this.#charges ??= this.#settleAll(uses)
    return this.#charges.length > 0 ? this.#charges : null
  }

  /** The charges of these uses, if another process pays for the others, or if this one dies. */
  chargesOf(uses: readonly ModelUse[]): readonly Charge[] {
    const charges = this.#entries.map((entry) => this.#chargeOf(entry.held, chargeable(this.#usedBy(entry, uses))))
    return charges.filter((charge) => charge !== undefined)
  }

  /** Ends the reservation of a call that was only submitted. Returns the limits that have counted it. */
  release(): string[] {
    this.#charges = []
    for (const entry of this.#entries) {
      entry.used = countsSubmission(entry.held.limit) ? 1 : 0
      this.#settleOne(entry)
    }
    return this.#entries.filter(({ used }) => used > 0).map(({ held }) => held.limit.id)
  }

  /** The limits that a call was counted against, or that refused it, with what it has used of them, or will have used. */
  counted(uses?: readonly ModelUse[]): Counted[] {
    const counted = this.#entries.map((entry) => {
      return countedOf(entry.held, uses ? chargeable(this.#usedBy(entry, uses)) : entry.used)
    })
    for (const held of this.latest.held) if (!this.#entryOf(held.share)) counted.push(countedOf(held, 0))
    return counted
  }

  /** The charges of a line beside the call's own: something was paid after the call had ended. */
  chargesOfMore(use: ModelUse): readonly Charge[] {
    const charges = this.#entries.map(({ held, models }) => {
      return models.includes(use.model) ? this.#chargeOf(held, chargeable(usedOf(held.limit, [use]) ?? 0)) : undefined
    })
    return charges.filter((charge) => charge !== undefined)
  }

  #settleAll(uses: readonly ModelUse[]): Charge[] {
    const charges: Charge[] = []
    if (uses.length > 0) this.#addRefused()
    for (const entry of this.#entries) {
      // Also the share in memory has to stay a number.
      entry.used = chargeable(this.#usedBy(entry, uses))
      this.#settleOne(entry)
      const charge = this.#chargeOf(entry.held, entry.used)
      if (charge) charges.push(charge)
    }
    return charges
  }

  /** The limits of an attempt that was refused: an earlier execution may have ordered what is paid now. */
  #addRefused(): void {
    const { held: all, model } = this.latest
    for (const held of all) if (!this.#entryOf(held.share)) addOnce(this.#newEntry(held).models, model)
  }

  #settleOne({ held, reserved, used, slot }: Entry): void {
    const { limit, share } = held
    const overrun = share.settle(reserved, limit.unit === 'concurrent' ? 0 : used, slot)
    if (overrun > 0 && limit.mode === 'enforce' && !isRate(limit)) this.#settling.overran(limit)
    this.#settling.settled(held, overrun)
  }

  /** Undefined if the ledger does not settle this limit. */
  #chargeOf({ limit, bucket, start }: Held, used: number): Charge | undefined {
    if (used === 0 || !hasWindows(limit)) return undefined
    return [limit.id, bucket, start, used, this.#settling.processName]
  }

  /** A call has a few limits, and finding one in a list is faster than in a map. */
  #entryOf(share: Share): Entry | undefined {
    for (const entry of this.#entries) if (entry.held.share === share) return entry
    return undefined
  }

  #newEntry(held: Held): Entry {
    const entry = {
      held,
      reserved: 0,
      slot: undefined,
      latest: 0,
      attempt: undefined,
      reusable: 0,
      models: [],
      used: 0,
    }
    this.#entries.push(entry)
    return entry
  }

  /** A limit of some models only pays for those. */
  #usedBy({ held, reserved, models }: Entry, uses: readonly ModelUse[]): number {
    const { limit } = held
    if (limit.unit === 'requests') return reserved > 0 || limit.mode === 'shadow' ? 1 : 0
    const isOfAll = models.length === this.#models.length
    const own = isOfAll ? uses : uses.filter(({ model }) => models.includes(model))
    return usedOf(limit, own) ?? reserved
  }
}

/** Long windows are charged by ledger lines, and a submission has none. */
export function countsSubmission(limit: Limit): boolean {
  return limit.unit === 'requests' && isRate(limit)
}

function countedOf({ limit }: Held, used: number): Counted {
  return [limit.id, limit.unit, fromAmount(used, limit.unit)]
}

function addOnce(models: string[], model: string): void {
  if (!models.includes(model)) models.push(model)
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
  let known = 0
  let assumed = 0
  for (const { cost, inputTokens, outputTokens } of uses) {
    if (cost !== null) {
      known += cost
      continue
    }
    const nanos = assumedCost(limit, inputTokens, outputTokens)
    if (nanos === null) return null
    assumed += nanos
  }
  return (toNanos(withoutDust(known)) ?? 0) + assumed
}
