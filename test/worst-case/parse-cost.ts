// The reference for all measurements: parsing the same bytes with JSON.parse, in CPU of one thread.

/**
 * The kernel counts CPU in ticks of 4 ms, a garbage collection may fall into any turn, and the first run of any code is
 * slow.
 */
const SLACK_MS = 60
const RUNS = 2

/** How long one turn of the gateway's event loop may take for some bytes: twice what JSON.parse needs for them. */
export class BlockLimit {
  readonly #bytes: Buffer
  #ms: number | undefined

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Parsing is measured only for a turn that took long, because it takes more CPU than most of the gateway's own work. */
  allows(turnMs: number): boolean {
    return turnMs <= SLACK_MS || turnMs <= this.ms
  }

  get ms(): number {
    this.#ms ??= 2 * Math.min(...Array.from({ length: RUNS }, () => parseCpuMs(this.#bytes))) + SLACK_MS
    return this.#ms
  }
}

function parseCpuMs(bytes: Buffer): number {
  const before = process.threadCpuUsage()
  try {
    JSON.parse(bytes.toString())
  } catch {
    // Finding out that a text is not JSON costs the same.
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
