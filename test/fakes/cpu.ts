import assert from 'node:assert/strict'

// Whether work is linear, seen in the CPU of this thread. A test asserts only how work grows with its input, because how long it takes, and
// how much longer than other work, depends on the machine and on what else runs there. `npm run soak -- costs` measures the latter.

/** The large input is so many times the small one: quadratic work takes as many times as long as that many small inputs, or longer. */
export const GROWTH = 16
/** Caches and garbage collections make a large input up to three times as expensive as many small ones. */
const MAX_GROWTH = 6
/** What is shorter cannot be told from a few ticks of the CPU clock. */
const LEAST_US = 5_000
/** Work that is not linear is so in every round; what a busy machine adds is not. */
const ROUNDS = 5
/** A round that was shorter is followed by one of twice the length, in which chance matters less. */
const ENOUGH_US = 200_000

/** Asserts that an input of 16 times the size takes about as long as 16 inputs, and not 16 times as long, as quadratic work does. */
export function assertLinear(what: string, work: (size: number) => unknown, size: number): void {
  const seen = growsFaster(work, size)
  assert.ok(!seen, `${what}: ${seen}`)
}

/** What was measured, if work grows faster than its input. */
export function growsFaster(work: (size: number) => unknown, size: number): string | undefined {
  const seen: string[] = []
  for (let times = 1; seen.length < ROUNDS; ) {
    const few = cpuOf(() => repeat(GROWTH * times, () => work(size)))
    const many = cpuOf(() => repeat(times, () => work(GROWTH * size)))
    if (isLinear(few, many)) return undefined
    seen.push(`${few} µs for ${GROWTH * times} of ${size}, ${many} µs for ${times} of ${GROWTH * size}`)
    if (many < ENOUGH_US) times *= 2
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
  for (let times = 1; seen.length < ROUNDS; ) {
    const few = await loopCpuOf(GROWTH * times, () => work(size))
    const many = await loopCpuOf(times, () => work(GROWTH * size))
    if (isLinear(few, many)) return
    seen.push(`${few} µs for ${GROWTH * times} of ${size}, ${many} µs for ${times} of ${GROWTH * size}`)
    if (many < ENOUGH_US) times *= 2
  }
  assert.fail(`${what}: ${seen.join('; ')}`)
}

/** Microseconds. Work that throws is measured as well. */
export function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  try {
    work()
  } catch {}
  return sum(process.threadCpuUsage(before))
}

async function loopCpuOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  for (let time = 0; time < times; time++) await work()
  return sum(process.threadCpuUsage(before))
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return user + system
}

function isLinear(few: number, many: number): boolean {
  return many < MAX_GROWTH * Math.max(few, LEAST_US)
}

function repeat(times: number, work: () => unknown): void {
  for (let time = 0; time < times; time++)
    try {
      work()
    } catch {}
}

/** CPU of this thread, the minimum of a few runs. Work that throws is measured as well. */
export function leastCpu(work: () => unknown, times = 3): number {
  return Math.min(...Array.from({ length: times }, () => cpuOf(work)))
}

/** CPU of this thread during asynchronous work; what other threads do for it does not count. */
export async function loopCpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  return sum(process.threadCpuUsage(before))
}

/** Asserts that work is cheap enough in one of a few rounds. `measure` returns what it saw if it was too expensive. */
export function assertCheap(what: string, measure: (round: number) => string | undefined): void {
  const seen: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const expensive = measure(round)
    if (expensive === undefined) return
    seen.push(expensive)
  }
  assert.fail(`${what}: ${seen.join('; ')}`)
}

/** The same for asynchronous work. */
export async function assertLoopCheap(measure: () => Promise<string | undefined>): Promise<void> {
  const seen: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const expensive = await measure()
    if (expensive === undefined) return
    seen.push(expensive)
  }
  assert.fail(seen.join('; '))
}
