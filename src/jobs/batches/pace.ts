import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** The share of the time that the event loop may be at work, so that lines begin while others wait for answers. */
const MAX_UTILIZATION = 0.5
const LOOK_MS = 10
/** Under steady load, a line begins this often all the same: otherwise a batch would never end. */
const MAX_WAIT_MS = 250

/**
 * After so many lines, what they have left is collected as soon as no other request is there, or at last after the second number. V8 would
 * wait until the lines have filled 64 MB with objects, and stop the process for 20 to 40 ms then, also if a chat has just come.
 */
const LINES_PER_COLLECTION = 64
const MOST_LINES_PER_COLLECTION = 256

/** Lines come behind all other requests: none begins while the process is busy with those. */
export class Pace {
  readonly #othersInFlight: () => number
  readonly #collectYoung: () => void
  #lines = 0
  #seen = performance.eventLoopUtilization()
  #seenAt = performance.now()
  #utilization = 0

  constructor(othersInFlight: () => number, collectYoung = collect) {
    this.#othersInFlight = othersInFlight
    this.#collectYoung = collectYoung
  }

  /** Waits for a good moment to begin a line. */
  async turn(signal: AbortSignal): Promise<void> {
    // Lines that are answered at once would otherwise run one after the other in one turn of the event loop.
    await nextTurn()
    this.#lineBegins()
    for (let waited = 0; waited < MAX_WAIT_MS && this.#isBusy(); waited += LOOK_MS)
      await sleep(LOOK_MS, undefined, { signal })
  }

  #lineBegins(): void {
    const most = this.#othersInFlight() > 0 ? MOST_LINES_PER_COLLECTION : LINES_PER_COLLECTION
    if (++this.#lines < most) return
    this.#lines = 0
    this.#collectYoung()
  }

  #isBusy(): boolean {
    if (this.#othersInFlight() === 0) return false
    if (performance.now() - this.#seenAt >= LOOK_MS) {
      const seen = performance.eventLoopUtilization()
      this.#utilization = performance.eventLoopUtilization(seen, this.#seen).utilization
      this.#seen = seen
      this.#seenAt = performance.now()
    }
    return this.#utilization > MAX_UTILIZATION
  }
}

/** It has an effect only with --expose-gc, which bin/node-options.js sets. */
function collect(): void {
  globalThis.gc?.({ type: 'minor', execution: 'sync' })
}
