import type { Use } from '../../../platform/store/limits/rates.ts'

// What was used of a rate in the last second, minute or hour. Uses are added up in slots, so that there are never more than a few;
// a slot counts until one window after its last use. So no window of this length ever has more than was counted, and a client
// that uses the amount evenly gets nearly all of it: a use counts for up to a sixtieth of the window longer than it has to.

const SLOTS = 60

/** How long a slot is, in whole milliseconds. */
function slotMsOf(windowMs: number): number {
  return Math.ceil(windowMs / SLOTS)
}

/** What counts, the oldest first. */
export class RecentUses {
  readonly #windowMs: number
  readonly #slotMs: number
  #slots: Use[] = []
  #sum = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
    this.#slotMs = slotMsOf(windowMs)
  }

  /** Moments never go back. */
  add(used: number, at: number): void {
    const slot = Math.floor(at / this.#slotMs)
    const endsAt = at + this.#windowMs
    const last = this.#slots.at(-1)
    this.#sum += used
    if (last?.slot !== slot) this.#slots.push({ slot, used, endsAt })
    else {
      last.used += used
      last.endsAt = endsAt
    }
  }

  /** Less was used in this slot. */
  correct(less: number, slot: number): void {
    const found = this.#slots.find((one) => one.slot === slot)
    const corrected = Math.min(less, found?.used ?? 0)
    if (found) found.used -= corrected
    this.#sum -= corrected
  }

  /** As the store knows them. */
  replace(uses: readonly Omit<Use, 'slot'>[]): void {
    this.#slots = uses.map((use) => ({ slot: Math.floor((use.endsAt - this.#windowMs) / this.#slotMs), ...use }))
    this.#sum = uses.reduce((sum, { used }) => sum + used, 0)
  }

  sumAt(at: number): number {
    while (this.#slots.length > 0 && this.#slots[0]!.endsAt <= at) this.#sum -= this.#slots.shift()!.used
    return this.#sum
  }

  /** When at least this much no longer counts; undefined if that is more than what counts. */
  endOf(amount: number): number | undefined {
    let ended = 0
    for (const { used, endsAt } of this.#slots) {
      ended += used
      if (ended >= amount) return endsAt
    }
    return undefined
  }

  /** When nothing counts any more. */
  get lastEnd(): number {
    return this.#slots.at(-1)?.endsAt ?? 0
  }
}

/** Uses that the store has not been told yet, by slot. */
export class UntoldUses {
  readonly #windowMs: number
  readonly #slotMs: number
  #slots = new Map<number, Use>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
    this.#slotMs = slotMsOf(windowMs)
  }

  get isEmpty(): boolean {
    return this.#slots.size === 0
  }

  /** Returns the slot, with which the use can be corrected. `at` is a moment of the store's clock. */
  add(used: number, at: number): number {
    const slot = Math.floor(at / this.#slotMs)
    this.#change({ slot, used, endsAt: at + this.#windowMs })
    return slot
  }

  /** A call has used less than it took in this slot. */
  correct(less: number, slot: number): void {
    this.#change({ slot, used: -less, endsAt: 0 })
  }

  #change(use: Use): void {
    const existing = this.#slots.get(use.slot)
    if (!existing) return void this.#slots.set(use.slot, use)
    existing.used += use.used
    existing.endsAt = Math.max(existing.endsAt, use.endsAt)
    if (existing.used === 0) this.#slots.delete(use.slot)
  }

  get list(): Iterable<Use> {
    return this.#slots.values()
  }

  /** All of them, to be told. */
  take(): Use[] {
    const told = [...this.#slots.values()]
    this.#slots = new Map()
    return told
  }

  /** The store may have been told or not. A use that counts twice ends by itself; a correction that counts twice would be missing. */
  putBack(uses: readonly Use[]): void {
    for (const use of uses) if (use.used > 0) this.#change(use)
  }
}
