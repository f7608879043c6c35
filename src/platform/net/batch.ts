// Work that arrives in one turn of the event loop is done together at its end, step by step. The same code then runs many
// times in a row and stays in the processor's caches. A chat takes a third less CPU, an event of a stream a sixth less.

let coming: Promise<void> | undefined

/** Resolves when everything that this turn brings has arrived. All waiters continue together. */
export function nextBatch(): Promise<void> {
  coming ??= new Promise((resolve) => setImmediate(beginBatch, resolve))
  return coming
}

function beginBatch(resolve: () => void): void {
  coming = undefined
  resolve()
}

/** Work that waits for a turn of its own, by owner. The owner to be served next comes first. */
const long = new Map<string, (() => void)[]>()

/**
 * Resolves in a turn of the event loop that no other caller of this function shares, so that the loop serves everything
 * else in between. Owners are served in rotation.
 */
export function loopSlot(owner: string): Promise<void> {
  return new Promise((resolve) => {
    if (long.size === 0) setImmediate(beginLong)
    const waiting = long.get(owner)
    if (waiting) waiting.push(resolve)
    else long.set(owner, [resolve])
  })
}

function beginLong(): void {
  const [owner, waiting] = long.entries().next().value!
  const resolve = waiting.shift()!
  long.delete(owner)
  if (waiting.length > 0) long.set(owner, waiting)
  if (long.size > 0) setImmediate(beginLong)
  resolve()
}

/** Like nextBatch, for work that is too small for a promise. */
export class Batch<Work> {
  readonly #doOne: (work: Work) => void
  #waiting: Work[] = []

  constructor(doOne: (work: Work) => void) {
    this.#doOne = doOne
  }

  get size(): number {
    return this.#waiting.length
  }

  add(work: Work): void {
    if (this.#waiting.push(work) === 1) setImmediate(this.#doAll)
  }

  /** Returns the work that waits and will not be done. */
  clear(): Work[] {
    return this.#waiting.splice(0)
  }

  readonly #doAll = () => {
    const all = this.#waiting
    this.#waiting = []
    for (const work of all) this.#doOne(work)
  }
}
