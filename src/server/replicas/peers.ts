import type { StoredProcess } from '../../platform/store/installation/processes.ts'

/** After this long without a beat, a process counts as dead. */
const SILENT_MS = 15_000
/** After this long, its row is removed. */
const FORGOTTEN_MS = 60_000

type Watched = StoredProcess & { changedAt: number; hasChanged: boolean }

/**
 * The other processes on the store. Whether one is alive is measured with our own monotonic clock: from one change of its
 * count to the next. So it does not matter what time it is on any machine.
 */
export class Peers {
  readonly #own: string
  readonly #clock: () => number
  #watched = new Map<string, Watched>()

  constructor(own: string, clock: () => number = () => performance.now()) {
    this.#own = own
    this.#clock = clock
  }

  /** Notes what the store lists now. Returns processes that have been silent for so long that they may be removed. */
  note(listed: readonly StoredProcess[]): StoredProcess[] {
    const now = this.#clock()
    const others = listed.filter(({ id }) => id !== this.#own)
    this.#watched = new Map(others.map((row) => [row.id, this.#watch(row, now)]))
    return [...this.#watched.values()].filter(({ changedAt }) => now - changedAt > FORGOTTEN_MS)
  }

  /** Processes whose beats were seen. A row that was there from the start may have been left behind by a dead process. */
  get live(): StoredProcess[] {
    const now = this.#clock()
    return [...this.#watched.values()].filter((peer) => peer.hasChanged && now - peer.changedAt <= SILENT_MS)
  }

  isLive(id: string): boolean {
    return this.live.some((peer) => peer.id === id)
  }

  #watch(row: StoredProcess, now: number): Watched {
    const previous = this.#watched.get(row.id)
    if (!previous) return { ...row, changedAt: now, hasChanged: false }
    if (previous.beats === row.beats) return { ...row, changedAt: previous.changedAt, hasChanged: previous.hasChanged }
    return { ...row, changedAt: now, hasChanged: true }
  }
}
