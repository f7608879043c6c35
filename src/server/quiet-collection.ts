import type { Health } from '../http/health.ts'
import { MB } from '../base/units/units.ts'

const LOOK_MS = 2_000
/**
 * Long enough that a pause between two requests of a person or an agent is seldom taken for the end of them: the requests after a
 * collection cost more, because V8 compiles code again.
 */
const QUIET_MS = 25_000
/**
 * A request that arrives during a collection waits for its end. So at most this share of a quiet time goes into one: where a
 * collection takes long, because the heap is large or the machine is busy, the next one waits longer.
 */
const MAX_SHARE = 1 / 50
/** A collection that could free less than this is not worth its pause, and the code that V8 has to optimize again. */
const GROWTH_BYTES = 32 * MB

type QuietCollectionOptions = {
  monotonic(): number
  /** What the process has in memory. */
  residentBytes?(): number
  /** Frees as much as can be freed. It has an effect only with --expose-gc, which bin/node-options.js sets. */
  collect?(): void
}

/**
 * V8 collects when a program allocates, and keeps the pages of what it has collected. So a process would keep for hours what
 * its busiest minute needed. Whenever requests have been absent for a while after the process has grown, everything that is not
 * needed is given back, which stops the process for a moment.
 */
export class QuietCollection {
  readonly #health: Pick<Health, 'inFlight' | 'admissions'>
  readonly #options: Required<QuietCollectionOptions>
  readonly #timer: NodeJS.Timeout
  #admissions = 0
  #quietSince: number
  #residentBytes = 0
  /** How long the latest collection has taken. */
  #tookMs = 0

  constructor(health: Pick<Health, 'inFlight' | 'admissions'>, options: QuietCollectionOptions) {
    this.#health = health
    this.#options = { residentBytes: process.memoryUsage.rss, collect, ...options }
    this.#quietSince = options.monotonic()
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  look(): void {
    const { monotonic, residentBytes, collect } = this.#options
    if (this.#hasRequests()) this.#quietSince = monotonic()
    const beganAt = monotonic()
    if (beganAt - this.#quietSince < Math.max(QUIET_MS, this.#tookMs / MAX_SHARE)) return
    if (residentBytes() - this.#residentBytes < GROWTH_BYTES) return
    collect()
    this.#residentBytes = residentBytes()
    this.#quietSince = monotonic()
    this.#tookMs = this.#quietSince - beganAt
  }

  /** Whether there is a request now, or there was one since the last look. Probes of load balancers do not count. */
  #hasRequests(): boolean {
    const { inFlight, admissions } = this.#health
    const isNew = admissions > this.#admissions
    this.#admissions = admissions
    return isNew || inFlight > 0
  }
}

function collect(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' })
}
