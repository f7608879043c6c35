// What this process holds of one limit: of one of its windows, of its rate, or of its slots. Calls take from it in memory; the
// store is asked only when it is empty, for enough to last a while. Nothing is ever taken that the store has not granted.

/** Where a share gets its amounts from. */
export type ShareSource = {
  /** Books what is owed, and grants between `need` and `want`, or nothing. */
  ask(wanted: { need: number; want: number; owed: number }): Promise<Granted>
  giveBack(amount: number): Promise<void>
  /**
   * Books what was used without a grant. Where there is no such function, the store books it with the ledger line; otherwise it
   * is a debt that later calls wait for.
   */
  book?(owed: number): Promise<void>
  /** How long an amount that was granted may be used, in milliseconds. */
  lifeMs: number
}

export type Granted = {
  granted: number
  /** What the store knows: settled, and held by all processes. */
  spent: number
  leased: number
  /** How long until there is enough; undefined if time alone does not help. */
  waitMs?: number | undefined
  /** What nobody holds; undefined if that changes with time alone. */
  room?: number | undefined
}

/** Why a call did not get what it needs. */
export type Refusal = { need: number; spent: number; leased: number; waitMs?: number | undefined }

/** A refusal is remembered, so that a storm of refused calls is no storm on the store: longer each time, until something is granted. */
const REFUSED_FOR_MS = 250
const MAX_REFUSED_FOR_MS = 1_000
/** A lease is meant to last about this long: longer leases cost more in a crash, shorter ones cost more questions. */
const LEASE_LASTS_MS = 2_000
const FIRST_LEASE_NEEDS = 8
/** Numbers stay exact, in JavaScript and in the store. */
const MAX_LEASE = 1e15

type Remembered = Refusal & { until: number }

export class Share {
  readonly #source: ShareSource
  readonly #monotonic: () => number
  /** Granted, and not in use. Negative if there is a debt. */
  free = 0
  /** In use by calls that have not ended. */
  reserved = 0
  /** What the store said last. */
  known: { spent: number; leased: number } | undefined
  /** On the monotonic clock. */
  usedAt = 0
  #validUntil = Number.NEGATIVE_INFINITY
  #refused: Remembered | undefined
  #refusedForMs = REFUSED_FOR_MS
  #waiting: number[] = []
  /** The question that is about to be sent, and the one whose answer is on its way. */
  #collecting: Promise<void> | undefined
  #asked: Promise<void> | undefined
  /** Settles when the store has what was given back, or cannot be told. */
  #returned: Promise<unknown> = Promise.resolve()
  #leaseSize = 0
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(source: ShareSource, monotonic: () => number) {
    this.#source = source
    this.#monotonic = monotonic
  }

  /** Whether a call that needs this much could go on at once. */
  has(amount: number): boolean {
    const now = this.#monotonic()
    if (now >= this.#validUntil) this.#expire()
    this.usedAt = now
    return this.free >= amount || amount === 0
  }

  /** Only after `has`. */
  take(amount: number): void {
    this.free -= amount
    this.reserved += amount
  }

  /** The call has ended. Returns what it used beyond its reservation. */
  settle(reserved: number, used: number): number {
    this.reserved -= reserved
    this.free += reserved - used
    if (this.free < 0 && !this.#source.book) this.free = 0
    return Math.max(0, used - reserved)
  }

  /** Asks the store until there is enough. Returns why there never will be, for now. */
  async fill(need: number): Promise<Refusal | undefined> {
    while (!this.has(need)) {
      const refused = this.#refused
      if (refused && need >= refused.need && this.#monotonic() < refused.until) return refused
      if (this.#asked) await this.#asked
      else await this.#ask(need)
    }
    return undefined
  }

  /** What was granted is still ours; the store has said so. */
  renewed(isOurs: boolean): void {
    if (isOurs) this.#validUntil = this.#monotonic() + this.#source.lifeMs
    else this.free = Math.min(0, this.free)
  }

  /** Somebody has freed a part of the limit: what was refused may be granted now. */
  askAgain(): void {
    this.#refused = undefined
    this.#refusedForMs = REFUSED_FOR_MS
  }

  /** The limit has changed: what was refused may be granted now, and what was granted may be too much. */
  forget(): void {
    this.askAgain()
    this.#leaseSize = 0
    void this.giveBack().catch(() => undefined)
  }

  /**
   * Gives back what no call uses, or books what was used without a grant, so that the other processes know of it. What is on its
   * way to the store already is waited for.
   */
  async giveBack(): Promise<void> {
    const amount = this.free
    if (amount < 0) await this.#bookDebt(-amount)
    else if (amount > 0) await this.#giveBackFree(amount)
    else await this.#returned
  }

  async #giveBackFree(amount: number): Promise<void> {
    this.free = 0
    if (this.known) this.known.leased -= amount
    await this.#afterwards(this.#source.giveBack(amount))
  }

  /** A question that is on its way books the debt itself. */
  async #bookDebt(owed: number): Promise<void> {
    if (this.#asked || !this.#source.book) return
    this.free = 0
    const booked = this.#source.book(owed).catch((error) => {
      this.free -= owed
      throw error
    })
    await this.#afterwards(booked)
  }

  /** The next question waits for this. */
  async #afterwards(returned: Promise<void>): Promise<void> {
    this.#returned = Promise.allSettled([this.#returned, returned])
    await returned
  }

  #expire(): void {
    if (this.free > 0) void this.giveBack().catch(() => undefined)
  }

  #ask(need: number): Promise<void> {
    this.#waiting.push(need)
    this.#collecting ??= this.#collect()
    return this.#collecting
  }

  /**
   * Calls that wait share one question. It is sent after the current step, so that all calls of the step are in it, and after
   * what was given back, which the store would count as held otherwise.
   */
  async #collect(): Promise<void> {
    await this.#returned
    const needs = this.#waiting
    this.#waiting = []
    this.#collecting = undefined
    this.#asked = this.#send(needs).finally(() => {
      this.#asked = undefined
    })
    await this.#asked
  }

  async #send(needs: readonly number[]): Promise<void> {
    const need = Math.min(...needs)
    const owed = Math.max(0, -this.free)
    const inHand = this.free + owed
    const missing = needs.reduce((sum, one) => sum + one, 0) - inHand
    const want = Math.max(missing, this.#nextSize(need))
    const answer = await this.#source.ask({ need: need - inHand, want, owed })
    this.free += owed
    this.known = { spent: answer.spent, leased: answer.leased }
    if (answer.granted > 0) this.#accept(answer.granted)
    else this.#refuse(Math.min(need, (answer.room ?? need) + inHand + 1), answer)
  }

  #accept(granted: number): void {
    this.free += granted
    this.askAgain()
    this.#validUntil = this.#monotonic() + this.#source.lifeMs
  }

  /** `need` is the least that cannot be had. */
  #refuse(need: number, { spent, leased, waitMs }: Granted): void {
    const forMs = Math.min(this.#refusedForMs, waitMs ?? this.#refusedForMs)
    this.#refusedForMs = Math.min(MAX_REFUSED_FOR_MS, 2 * this.#refusedForMs)
    this.#refused = { need, spent, leased, waitMs, until: this.#monotonic() + forMs }
  }

  /** Twice as much if the last lease was used up quickly, half as much if it lasted long. */
  #nextSize(need: number): number {
    const now = this.#monotonic()
    const lasted = now - this.#askedAt
    this.#askedAt = now
    if (this.#leaseSize === 0) this.#leaseSize = need * FIRST_LEASE_NEEDS
    else if (lasted < LEASE_LASTS_MS) this.#leaseSize *= 2
    else if (lasted > 2 * LEASE_LASTS_MS) this.#leaseSize /= 2
    this.#leaseSize = Math.min(MAX_LEASE, Math.max(need, Math.ceil(this.#leaseSize)))
    return this.#leaseSize
  }
}
