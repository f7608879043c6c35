import { setTimeout as sleep } from 'node:timers/promises'
import { type Problem, problem } from '../contract/problems.ts'
import { capacityFor, FairSemaphore } from '../base/fairness/fair-semaphore.ts'
import { OwnerLoads } from '../base/fairness/owner-loads.ts'

// Decides whether to accept a request, and drains at shutdown. An overloaded gateway has to refuse at once, before it
// fails.

/** How many requests one owner may have in flight. A third more places exist for other owners. */
const MAX_IN_FLIGHT = 5_000
/** Reading this many bytes costs about as much as a small request. */
const BYTES_PER_UNIT_OF_WORK = 16 * 1024
export const PULSE_MS = 250
/**
 * Several ticks in a row that the gateway's own work makes this late mean that work queues up faster than it is done. A
 * single late tick does not, and neither does a machine that gives the gateway no processor: a gateway that waits for one
 * answers slowly.
 */
const MAX_BACKLOG_MS = 400
const RETRY_AFTER_SECONDS = 1
const START_RETRY_SECONDS = 5
const POLL_MS = 20

/** How far the start of the gateway is. */
export type Start = {
  /** Until then, only /health is answered. */
  readonly isOpen: boolean
  /** Why the gateway is not ready yet, in one sentence. */
  readonly reason: string
}

export type HealthOptions = {
  start?: Start
  maxInFlight?: number
  maxBacklogMs?: number
  /** Milliseconds, for the lateness of the event loop. */
  clock?: () => number
  /** Milliseconds of processor time that the thread of the event loop has used. */
  cpuTime?: () => number
  /** Is told every measurement of the lateness. */
  measured?: (latenessMs: number) => void
}

const ALREADY_OPEN: Start = { isOpen: true, reason: 'The gateway is starting.' }

type DrainOptions = {
  /** How long running requests may go on. */
  graceMs?: number
  /** How long no request may have arrived before the connections that are left count as unused. */
  lingerMs?: number
  /** Whether a client could still send a request. */
  hasConnections?: () => Promise<boolean>
}

export class Health {
  readonly #admitted: FairSemaphore
  readonly #loads = new OwnerLoads()
  readonly #start: Start
  readonly #maxBacklogMs: number
  readonly #slots: (AbortController | undefined)[] = []
  readonly #freeSlots: number[] = []
  #inFlight = 0
  #arrived = 0
  #admissions = 0
  #lateness = 0
  #backlog = 0
  readonly #clock: () => number
  readonly #cpuTime: () => number
  readonly #measured: HealthOptions['measured']
  #lastPulse: number
  #lastCpuTime: number
  readonly #pulse: NodeJS.Timeout
  #drained: Promise<void> | undefined
  readonly #whenDraining: (() => void)[] = []
  #state: 'starting' | 'ready' | 'leaving' | 'draining' = 'starting'

  constructor(options: HealthOptions = {}) {
    const { maxInFlight = MAX_IN_FLIGHT, maxBacklogMs = MAX_BACKLOG_MS } = options
    this.#admitted = new FairSemaphore({ capacity: capacityFor(maxInFlight) })
    this.#maxBacklogMs = maxBacklogMs
    this.#start = options.start ?? ALREADY_OPEN
    this.#clock = options.clock ?? (() => performance.now())
    this.#cpuTime = options.cpuTime ?? cpuTimeOfThisThread
    this.#measured = options.measured
    this.#lastPulse = this.#clock()
    this.#lastCpuTime = this.#cpuTime()
    this.#pulse = setInterval(() => this.#beat(), PULSE_MS).unref()
  }

  get ready(): boolean {
    return this.#state === 'ready'
  }

  /** Why the gateway is not ready yet. */
  get startReason(): string {
    return this.#start.reason
  }

  /** The answer to every request but those for /health, until the gateway is open. */
  get notOpenYet(): Problem | undefined {
    if (this.#start.isOpen) return undefined
    const message = `The gateway is starting. ${this.#start.reason} Try again shortly.`
    return problem('unavailable', { message, retryAfterSeconds: START_RETRY_SECONDS })
  }

  /** The gateway will stop. It still accepts requests until it drains. */
  get leaving(): boolean {
    return this.#state === 'leaving' || this.draining
  }

  /** The gateway accepts no new connection, and the connections that it has close after their next answer. */
  get draining(): boolean {
    return this.#state === 'draining'
  }

  /** Calls this when the gateway begins to drain. */
  whenDraining(call: () => void): void {
    this.#whenDraining.push(call)
  }

  /** Delays during startup do not count as overload. A process that is told to stop while it starts never becomes ready. */
  start(): void {
    if (this.#state !== 'starting') return
    this.#state = 'ready'
    this.#lateness = 0
    this.#backlog = 0
    this.#lastPulse = this.#clock()
    this.#lastCpuTime = this.#cpuTime()
  }

  /** Tells load balancers, through /health/ready, to send requests elsewhere. */
  leave(): void {
    if (!this.draining) this.#state = 'leaving'
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** How many requests have been admitted so far. Probes need no admission. */
  get admissions(): number {
    return this.#admissions
  }

  /** How late the event loop has been lately, in milliseconds. The newest sample counts half. */
  get lateness(): number {
    return this.#lateness
  }

  /**
   * Takes a place for a request of this owner and returns true, or returns false. An owner at its limit is refused. While
   * the gateway's own work queues up, the owners that cause the most work are refused too, and others are still accepted.
   */
  admit(owner: string, bytes = 0): boolean {
    const pressure = this.#backlog / this.#maxBacklogMs
    const isHeavy = pressure > 1 && this.#loads.isHeavy(owner, pressure)
    const isAdmitted = !isHeavy && this.#admitted.tryAcquire(owner)
    if (!isAdmitted) {
      this.#loads.refused(owner)
      return false
    }
    this.#admissions++
    this.#loads.began(owner, 1 + bytes / BYTES_PER_UNIT_OF_WORK)
    return true
  }

  /** Has to follow every `admit` that returned true. */
  dismiss(owner: string): void {
    this.#admitted.release(owner)
    this.#loads.ended(owner)
  }

  requestBegan(): void {
    this.#inFlight++
    this.#arrived++
  }

  requestEnded(): void {
    this.#inFlight--
  }

  /**
   * Registers a call that may outlive the grace period, so that it can be aborted. It uses slots and not a Set: a Set that
   * thousands of calls enter and leave every second is rebuilt all the time, and its old tables keep their last members
   * alive until the next full collection.
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

  /** Waits for running calls. After the grace period, the others are aborted with an error that says why. */
  drain(options: DrainOptions = {}): Promise<void> {
    this.#drained ??= this.#drain(options)
    return this.#drained
  }

  async #drain({ graceMs = 0, lingerMs = 0, hasConnections = async () => true }: DrainOptions): Promise<void> {
    this.#state = 'draining'
    for (const call of this.#whenDraining) call()
    const until = performance.now() + graceMs
    let [arrived, quietSince] = [this.#arrived, performance.now()]
    while (performance.now() < until && (await hasConnections())) {
      if (this.#inFlight > 0 || this.#arrived > arrived) [arrived, quietSince] = [this.#arrived, performance.now()]
      else if (performance.now() - quietSince >= lingerMs) break
      await sleep(POLL_MS)
    }
    for (const controller of this.#slots) controller?.abort(SHUTTING_DOWN)
    const last = performance.now() + 1_000
    while (this.#inFlight > 0 && performance.now() < last) await sleep(POLL_MS)
    clearInterval(this.#pulse)
  }

  #beat() {
    const [now, cpuTime] = [this.#clock(), this.#cpuTime()]
    const late = Math.max(0, now - this.#lastPulse - PULSE_MS)
    this.#lateness = (this.#lateness + late) / 2
    this.#backlog = (this.#backlog + Math.min(late, cpuTime - this.#lastCpuTime)) / 2
    this.#measured?.(late)
    this.#lastPulse = now
    this.#lastCpuTime = cpuTime
    this.#loads.fade()
  }
}

function cpuTimeOfThisThread(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

export const OVERLOADED = problem('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
const SHUTTING_DOWN = problem('overloaded', {
  message: 'The gateway is shutting down, so the answer is incomplete. Try again.',
})
