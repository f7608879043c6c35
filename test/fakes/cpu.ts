import assert from 'node:assert/strict'

// Whether work is linear, seen in the CPU of this thread. A test asserts only how work grows with its input, because how long it takes, and
// how much longer than other work, depends on the machine and on what else runs there. `npm run soak -- costs` measures the latter.

/** The large input is so many times the small one: quadratic work takes as many times as long as that many small inputs, or longer. */
export const GROWTH = 16
/** Caches and garbage collections make a large input up to three times as expensive as many small ones. */
export const MAX_GROWTH = 6
/** What is shorter cannot be told from a few ticks of the CPU clock. */
export const LEAST_US = 5_000
/** Work that is not linear is so in every round; what a busy machine adds is not. */
const ROUNDS = 5
/** What took so long needs no repetition. A round that was shorter is followed by one of twice the length, in which chance matters less. */
const ENOUGH_US = 100_000

/** Asserts that an input of 16 times the size takes about as long as 16 inputs, and not 16 times as long, as quadratic work does. */
export function assertLinear(what: string, work: (size: number) => unknown, size: number): void {
  const seen = growsFaster(work, size)
  assert.ok(!seen, `${what}: ${seen}`)
}

/** What was measured, if work grows faster than its input. */
export function growsFaster(work: (size: number) => unknown, size: number): string | undefined {
  const seen: string[] = []
  // The first run of any code is slow.
  cpuOf(() => work(size))
  for (let times = 1; seen.length < ROUNDS; ) {
    const few = new Sample(GROWTH * times)
    while (few.goesOn) few.add(() => work(size))
    const many = new Sample(times)
    while (many.goesOn) many.add(() => work(GROWTH * size))
    if (isLinear(few, many)) return undefined
    seen.push(`${few.us} µs for ${GROWTH * times} of ${size}, ${many.us} µs for ${times} of ${GROWTH * size}`)
    if (many.us < ENOUGH_US) times *= 2
  }
  return seen.join('; ')
}

/** The same for asynchronous work; what other threads do for it does not count. */
export async function assertLoopLinear(
  what: string,
  work: (size: number) => Promise<unknown>,
  size: number,
): Promise<void> {
  const seen: string[] = []
  await work(size)
  for (let times = 1; seen.length < ROUNDS; ) {
    const few = new Sample(GROWTH * times)
    while (few.goesOn) await few.addLater(() => work(size))
    const many = new Sample(times)
    while (many.goesOn) await many.addLater(() => work(GROWTH * size))
    if (isLinear(few, many)) return
    seen.push(`${few.us} µs for ${GROWTH * times} of ${size}, ${many.us} µs for ${times} of ${GROWTH * size}`)
    if (many.us < ENOUGH_US) times *= 2
  }
  assert.fail(`${what}: ${seen.join('; ')}`)
}

/** Microseconds. Work that throws is measured as well. */
export function cpuOf(work: () => unknown): number {
  const sample = new Sample(1)
  sample.add(work)
  return sample.us
}

/** The CPU for doing something so often. It is estimated once some of it has taken long enough. */
class Sample {
  readonly #times: number
  #done = 0
  #measured = 0

  constructor(times: number) {
    this.#times = times
  }

  get goesOn(): boolean {
    return this.#done < this.#times && this.#measured < ENOUGH_US
  }

  get us(): number {
    return Math.round((this.#measured * this.#times) / this.#done)
  }

  /** Work that throws is measured as well. */
  add(work: () => unknown): void {
    const before = process.threadCpuUsage()
    try {
      work()
    } catch {}
    this.#count(before)
  }

  async addLater(work: () => Promise<unknown>): Promise<void> {
    const before = process.threadCpuUsage()
    await work()
    this.#count(before)
  }

  #count(before: NodeJS.CpuUsage): void {
    const { user, system } = process.threadCpuUsage(before)
    this.#measured += user + system
    this.#done++
  }
}

function isLinear(few: Sample, many: Sample): boolean {
  return many.us < MAX_GROWTH * Math.max(few.us, LEAST_US)
}
