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
/** CPU time has a resolution of some milliseconds, and the first run of any code is slow. */
const SLACK_US = 20_000

/** Work that is not linear is so in every round; a garbage collection is not. */
const ROUNDS = 3

/** Asserts that four times the input takes about four times as long, and not sixteen times, as quadratic work does. */
export function assertLinear(what: string, work: (size: number) => unknown, size: number): void {
  const seen: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // One run of the large input is enough unless it takes too long.
    const [small, large] = [leastCpu(() => work(size)), leastCpu(() => work(size * GROWTH), round === 0 ? 1 : 3)]
    if (large < 2 * GROWTH * small + SLACK_US) return
    seen.push(`${small} µs for ${size}, ${large} µs for ${size * GROWTH}`)
  }
  assert.fail(`${what}: ${seen.join('; ')}`)
}
