import { createContext, runInContext } from 'node:vm'

// The reference for all measurements: parsing the same bytes with JSON.parse, in CPU of one thread.

/**
 * The kernel counts CPU in ticks of 4 ms, a garbage collection may fall into any turn, and the first run of any code is
 * slow.
 */
const SLACK_MS = 60
const RUNS = 2
/** Parsing it takes half of the slack on a quiet machine. Where caches and cores are shared, the same work takes more CPU. */
const HALF_OF_SLACK = Buffer.from(JSON.stringify(Array.from({ length: 150_000 }, (_, a) => ({ a }))))

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
    this.#ms ??= 2 * leastParseMs(this.#bytes) + Math.max(SLACK_MS, 2 * leastParseMs(HALF_OF_SLACK))
    return this.#ms
  }
}

function leastParseMs(bytes: Buffer): number {
  return Math.min(...Array.from({ length: RUNS }, () => parseCpuMs(bytes)))
}

function parseCpuMs(bytes: Buffer): number {
  const text = bytes.toString()
  // This process has parsed the same keys before, and would find the shapes of their objects. The gateway has to make them.
  const context = createContext({ text })
  const before = process.threadCpuUsage()
  try {
    runInContext('JSON.parse(text)', context)
  } catch {
    // Finding out that a text is not JSON costs the same.
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
