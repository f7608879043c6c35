import { setTimeout as sleep } from 'node:timers/promises'
import { problem } from '../contract/problems.ts'
import { capacityFor, FairSemaphore } from '../fairness/fair-semaphore.ts'
import { OwnerLoads } from '../fairness/owner-loads.ts'

// Whether to take a request, and how to stop taking them. A gateway at its limit says so at once; one that dies says nothing.

/** What one owner may have in flight; a third more may be in flight for others. */
const MAX_IN_FLIGHT = 5_000
/** Taking in so many bytes costs about as much as a small request. */
const BYTES_PER_UNIT_OF_WORK = 16 * 1024
export const PULSE_MS = 250
/** Pulses this late, one after the other, mean that work queues up faster than it is done; a single hiccup does not. */
const MAX_LATENESS_MS = 400
const RETRY_AFTER_SECONDS = 1
const GRACE_MS = 30_000
const POLL_MS = 20

/** `clock` is what the pulse reads, in milliseconds: a test can make the loop late without burning time. */
export type HealthOptions = { maxInFlight?: number; graceMs?: number; maxLatenessMs?: number; clock?: () => number }

export class Health {
  readonly #admitted: FairSemaphore
  readonly #loads = new OwnerLoads()
  /** What runs when the gateway is told to stop has this long. */
  readonly graceMs: number
  readonly #maxLatenessMs: number
  readonly #slots: (AbortController | undefined)[] = []
  readonly #freeSlots: number[] = []
  #inFlight = 0
  #lateness = 0
  readonly #clock: () => number
  #lastPulse: number
  readonly #pulse: NodeJS.Timeout
  #drained: Promise<void> | undefined
  draining = false
  #started = false

  constructor(options: HealthOptions = {}) {
    const { maxInFlight = MAX_IN_FLIGHT, graceMs = GRACE_MS, maxLatenessMs = MAX_LATENESS_MS } = options
    this.#admitted = new FairSemaphore({ capacity: capacityFor(maxInFlight) })
    this.graceMs = graceMs
    this.#maxLatenessMs = maxLatenessMs
    this.#clock = options.clock ?? (() => performance.now())
    this.#lastPulse = this.#clock()
    this.#pulse = setInterval(() => this.#beat(), PULSE_MS).unref()
  }

  get ready(): boolean {
    return this.#started && !this.draining
  }

  /** What starting up held back is no overload. */
  start(): void {
    this.#started = true
    this.#lateness = 0
    this.#lastPulse = this.#clock()
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Milliseconds by which the event loop has been late lately, the newest look counting half. */
  get lateness(): number {
    return this.#lateness
  }

  /**
   * Whether to take a request of this owner, and a place for it if so. An owner at its limit is turned away; while the
   * loop is late, so are the owners that bring the most work. Others still find a place.
   */
  admit(owner: string, bytes = 0): boolean {
    const pressure = this.#lateness / this.#maxLatenessMs
    const isHeavy = pressure > 1 && this.#loads.isHeavy(owner, pressure)
    const isAdmitted = !isHeavy && this.#admitted.tryAcquire(owner)
    if (isAdmitted) this.#loads.began(owner, 1 + bytes / BYTES_PER_UNIT_OF_WORK)
    else this.#loads.refused(owner)
    return isAdmitted
  }

  /** To follow every `admit` that was true. */
  dismiss(owner: string): void {
    this.#admitted.release(owner)
    this.#loads.ended(owner)
  }

  enter(): void {
    this.#inFlight++
  }

  leave(): void {
    this.#inFlight--
  }

  /**
   * A call that may outlive the grace period can be told to end. Seats, not a Set: a Set that thousands enter and leave
   * every second is rebuilt all the time, and its old tables keep their last members until the next full collection.
   */
  hold(controller: AbortController): number {
    const slot = this.#freeSlots.pop() ?? this.#slots.length
    this.#slots[slot] = controller
    return slot
  }

  release(slot: number, controller: AbortController): void {
    if (this.#slots[slot] !== controller) return
    this.#slots[slot] = undefined
    this.#freeSlots.push(slot)
  }

  /** Waits for what is running; after the grace period the rest is ended with an error that says why. */
  drain(): Promise<void> {
    this.#drained ??= this.#drain()
    return this.#drained
  }

  async #drain(): Promise<void> {
    this.draining = true
    const until = performance.now() + this.graceMs
    while (this.#inFlight > 0 && performance.now() < until) await sleep(POLL_MS)
    for (const controller of this.#slots) controller?.abort(SHUTTING_DOWN)
    const last = performance.now() + 1_000
    while (this.#inFlight > 0 && performance.now() < last) await sleep(POLL_MS)
    clearInterval(this.#pulse)
  }

  #beat() {
    const now = this.#clock()
    const late = Math.max(0, now - this.#lastPulse - PULSE_MS)
    this.#lateness = (this.#lateness + late) / 2
    this.#lastPulse = now
    this.#loads.fade()
  }
}

export const OVERLOADED = problem('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
const SHUTTING_DOWN = problem('overloaded', {
  message: 'The gateway is shutting down; the answer was cut off. Try again.',
})
