import assert from 'node:assert/strict'

// Measures work in µs of CPU, with as little influence of other programs as possible.

/** CPU of this thread, the minimum of a few runs. Work that throws is measured as well. */
export function leastCpu(work: () => unknown, times = 3): number {
  return Math.min(...Array.from({ length: times }, () => cpuOf(work)))
}

function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  try {
    work()
  } catch {}
  return sum(process.threadCpuUsage(before))
}

/** CPU of this thread during asynchronous work; what other threads do for it does not count. */
export async function loopCpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  return sum(process.threadCpuUsage(before))
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return user + system
}

const GROWTH = 4
/** CPU time is counted in ticks of some milliseconds, and the first run of any code is slow. */
const SLACK_US = 20_000

/** Work that is too expensive is so in every round; what a garbage collection or a busy machine adds is not there again. */
const ROUNDS = 3

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

/**
 * Asserts that an input of four times the size takes about as long as four inputs, and not four times as long, as quadratic
 * work does. The four are measured together: one of them may take less than a tick, which counts as no time at all.
 */
export function assertLinear(what: string, work: (size: number) => unknown, size: number): void {
  assertCheap(what, (round) => {
    // One run is enough unless the large input takes too long.
    const times = round === 0 ? 1 : 3
    const four = leastCpu(() => fourTimes(() => work(size)), times)
    const large = leastCpu(() => work(size * GROWTH), times)
    if (large < 2 * four + SLACK_US) return undefined
    return `${four} µs for ${GROWTH} of ${size}, ${large} µs for ${size * GROWTH}`
  })
}

/** Work that throws is measured as well. */
function fourTimes(work: () => unknown): void {
  for (let time = 0; time < GROWTH; time++)
    try {
      work()
    } catch {}
}
