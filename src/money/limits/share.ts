// What this process holds of one limit: of one of its windows, of its rate, or of its slots. Calls take from it in memory; the
// store is asked only when it is nearly empty, for enough to last a while. Nothing is ever taken that the store has not granted.

import { LeaseSize, MAX_LEASE } from './lease-size.ts'
import {
  type ShareReturn,
  type Granted,
  isWorthWaiting,
  type Patience,
  type Refusal,
  type Remembered,
  type ShareClock,
  type ShareSource,
  SOON_MS,
  type ShareRequest,
} from './share-source.ts'

/** A refusal is remembered, so that a storm of refused calls is no storm on the store: longer each time, until something is granted. */
const REFUSED_FOR_MS = 25
const MAX_REFUSED_FOR_MS = 1_000
/** How often the store is asked whether the other processes have given back. */
const CALLED_BACK_FOR_MS = 100
/** A process that was called back keeps nothing idle for this long, and tells the store a little less. */
const LEAN_MS = 10_000
const LEAN_MARGIN_MS = 1_000
/** A lease is not enlarged more often than this before it is empty. */
const KEEP_UP_MS = 1_000

export class Share {
  readonly #source: ShareSource
  readonly #clock: ShareClock
  /** Granted, and not in use. */
  free = 0
  /** In use by calls that have not ended. */
  reserved = 0
  /** What the store said last. */
  sums: { spent: number; leased: number } | undefined
  /** On the monotonic clock. */
  usedAt = 0
  #validUntil = Number.NEGATIVE_INFINITY
  #leanUntil = Number.NEGATIVE_INFINITY
  /** Another process has called back, and waits for the answer. */
  #isCalled = false
  #returning = 0
  #refused: Remembered | undefined
  #refusedForMs = REFUSED_FOR_MS
  #waiting: number[] = []
  /** The question that is about to be sent, and the one whose answer is on its way. */
  #collecting: Promise<void> | undefined
  #request: Promise<void> | undefined
  #pausing: Promise<unknown> | undefined
  /** Settles when the store has what it was sent, or cannot be told. */
  #sent: Promise<unknown> = Promise.resolve()
  #sentAt = Number.NEGATIVE_INFINITY
  #answeredAt = Number.NEGATIVE_INFINITY
  readonly #size: LeaseSize
  /** Below this, more is asked for. */
  #low = 0

  constructor(source: ShareSource, clock: ShareClock) {
    this.#source = source
    this.#clock = clock
    this.#size = new LeaseSize(() => clock.monotonic())
  }

  /** Whether a call that needs this much could go on at once. */
  has(amount: number): boolean {
    const now = this.#clock.monotonic()
    if (now >= this.#validUntil) this.#expire()
    this.usedAt = now
    return this.free >= amount || amount === 0
  }

  /** Only after `has`. Returns when it was used, where that matters. */
  take(amount: number): number | undefined {
    if (amount === 0) return undefined
    this.free -= amount
    this.reserved += amount
    if (this.free < this.#low) this.keepUp()
    return this.#use(amount)
  }

  /** The call has ended. Returns what it used beyond its reservation. */
  settle(reserved: number, used: number, slot?: number): number {
    const more = used - reserved
    this.reserved -= reserved
    if (more > 0 || !this.#source.uses) this.free = Math.max(0, this.free - more)
    if (!this.#source.uses) this.#size.used(used)
    else if (more > 0) this.#use(more)
    else if (slot !== undefined) this.#correct(-more, slot)
    return Math.max(0, more)
  }

  #use(amount: number): number | undefined {
    const { uses } = this.#source
    if (uses) this.#size.used(amount)
    return uses?.add(amount)
  }

  /** What was not used of a rate is free again at the moment at which it was taken, and that moment may no longer count. */
  #correct(less: number, slot: number): void {
    if (less === 0) return
    this.#size.used(-less)
    this.#source.uses?.correct(less, slot)
    this.askAgain()
  }

  /** Whether something was used that other processes do not know of. */
  get isUntold(): boolean {
    return this.#source.uses?.isEmpty === false
  }

  /** Waits until the store has what is on its way to it, or cannot be told. */
  async sent(): Promise<void> {
    await this.#sent
  }

  /** Other processes wait for what this one does not use. */
  get isLean(): boolean {
    return this.#clock.monotonic() < this.#leanUntil
  }

  /** Asks the store until there is enough. Returns why there is not. */
  async fill(need: number, { until, signal }: Patience = IMPATIENT): Promise<Refusal | undefined> {
    const soon = Math.min(until, this.#clock.monotonic() + SOON_MS)
    while (!this.has(need)) {
      signal?.throwIfAborted()
      const refused = this.#refusalOf(need)
      if (refused && !isWorthWaiting(refused, { now: this.#clock.monotonic(), soon, until })) return refused
      if (refused) await this.#pause(refused.until - this.#clock.monotonic())
      else if (this.#request) await this.#request
      else await this.#ask(need)
    }
    return undefined
  }

  #refusalOf(need: number): Remembered | undefined {
    const refused = this.#refused
    return refused && need >= refused.need && this.#clock.monotonic() < refused.until ? refused : undefined
  }

  #pause(ms: number): Promise<unknown> {
    this.#pausing ??= this.#clock.pause(ms).finally(() => {
      this.#pausing = undefined
    })
    return this.#pausing
  }

  /** The store was asked at this moment whether what was granted is still ours. What was granted after that, it did not know. */
  renewed(isOurs: boolean, askedAt: number): void {
    if (isOurs) this.#validUntil = Math.max(this.#validUntil, askedAt + this.#source.lifeMs)
    else if (!this.#request && this.#sentAt < askedAt && this.#answeredAt < askedAt) this.free = 0
  }

  /** A part of the limit was freed: what was refused may be granted now. */
  askAgain(): void {
    this.#refused = undefined
    this.#refusedForMs = REFUSED_FOR_MS
  }

  /** The limit has changed: what was refused may be granted now, and what was granted may be too much. */
  forget(): void {
    this.askAgain()
    this.#size.least = 0
    void this.giveBack().catch(() => undefined)
  }

  /**
   * Gives back what no call uses, and tells what was used, so that the other processes know of it. What is on its way to the store
   * already is waited for.
   */
  async giveBack(): Promise<void> {
    if (this.sums) this.sums.leased -= this.free
    this.#returning += this.free
    this.free = 0
    await this.tell()
  }

  /** Tells what was used, and keeps the rest. */
  async tell(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#returning === 0 && !this.#isCalled && !this.isUntold) return
      const answer = await this.#source.giveBack(this.#given())
      if (answer) this.#know(answer)
    })
  }

  /** Another process has called back: for a while, this one keeps nothing that no call uses. */
  async answerCall(): Promise<void> {
    this.#leanUntil = this.#clock.monotonic() + LEAN_MS
    this.#isCalled = true
    await this.giveBack()
  }

  #expire(): void {
    if (this.free > 0) void this.giveBack().catch(() => undefined)
  }

  /** Enlarges the lease in time, so that a busy process has enough for a while if the store goes away. */
  keepUp(): void {
    const now = this.#clock.monotonic()
    if (this.#request || this.#collecting || now - this.#sentAt < KEEP_UP_MS || now < this.#leanUntil) return
    const size = this.#size.next()
    if (this.free >= this.#size.low || this.#refused) return
    void this.#askInTurn(() => this.#enlarge(size)).catch(() => undefined)
  }

  async #enlarge(size: number): Promise<void> {
    const want = Math.ceil(size - this.free)
    if (want <= 0) return
    const { granted } = await this.#askFor({ need: 0, want, callsBack: false })
    if (granted > 0) this.#accept(granted)
  }

  #ask(need: number): Promise<void> {
    this.#waiting.push(need)
    this.#collecting ??= this.#collect()
    return this.#collecting
  }

  /** Calls that wait share one question. It is sent after the current step, so that all calls of the step are in it. */
  async #collect(): Promise<void> {
    await this.#sent
    const needs = this.#waiting
    this.#waiting = []
    this.#collecting = undefined
    await this.#askInTurn(() => this.#send(needs))
  }

  #askInTurn(work: () => Promise<void>): Promise<void> {
    const request = this.#inTurn(work).finally(() => {
      if (this.#request === request) this.#request = undefined
    })
    this.#request = request
    return request
  }

  async #send(needs: readonly number[]): Promise<void> {
    const inHand = this.free
    const need = Math.min(...needs)
    if (need <= inHand) return
    this.#size.need(need)
    const missing = needs.reduce((sum, one) => sum + one, 0) - inHand
    const want = this.isLean ? missing : Math.max(missing, this.#size.next())
    const request = { need: need - inHand, want: Math.min(MAX_LEASE, Math.ceil(want)) }
    const callsBack = this.#refused?.mayComeBack === true
    let answer = await this.#askFor({ ...request, callsBack })
    if (answer.granted === 0 && answer.mayComeBack && !callsBack)
      answer = await this.#askFor({ ...request, callsBack: true })
    if (answer.granted > 0) this.#accept(answer.granted)
    else this.#refuse(Math.min(need, (answer.room ?? need) + inHand + 1), answer)
  }

  async #askFor(request: Pick<ShareRequest, 'need' | 'want' | 'callsBack'>): Promise<Granted> {
    const answer = await this.#source.ask({ ...request, ...this.#given() })
    this.#know(answer)
    return answer
  }

  /** Something may have been put aside in the meantime. */
  #know({ spent, leased }: Granted): void {
    this.#answeredAt = this.#clock.monotonic()
    this.sums = { spent, leased: leased - this.#returning }
  }

  /** What goes to the store now. */
  #given(): ShareReturn {
    const now = this.#clock.monotonic()
    const returned = this.#returning
    this.#returning = 0
    this.#isCalled = false
    this.#sentAt = now
    const leanMs = Math.max(0, Math.round(this.#leanUntil - now - LEAN_MARGIN_MS))
    return { returned, unused: this.free, leanMs }
  }

  /** One after the other, so that the store counts nothing as held that is on its way back. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#sent.then(work)
    this.#sent = done.catch(() => undefined)
    return done
  }

  #accept(granted: number): void {
    this.free += granted
    this.askAgain()
    // If the store has granted less than it was asked for, it is not asked for the rest again and again.
    this.#low = this.free < this.#size.next() ? this.free / 2 : this.#size.low
    this.#validUntil = this.#clock.monotonic() + this.#source.lifeMs
  }

  /** `need` is the least that cannot be had. */
  #refuse(need: number, { spent, leased, waitMs, isInUse, mayComeBack = false }: Granted): void {
    const rememberMs = mayComeBack ? CALLED_BACK_FOR_MS : this.#refusedForMs
    if (!mayComeBack) this.#refusedForMs = Math.min(MAX_REFUSED_FOR_MS, 2 * this.#refusedForMs)
    const until = this.#clock.monotonic() + Math.min(rememberMs, waitMs ?? rememberMs)
    this.#refused = { need, spent, leased, waitMs, isInUse, mayComeBack, until }
  }
}

const IMPATIENT: Patience = { until: Number.NEGATIVE_INFINITY }
