import assert from 'node:assert/strict'

// How much work something is, in µs of the processor: what other programs do at the same time counts as little as it can.

/** Of this thread, the best of a few. What throws is measured as well. */
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

/** Of this thread while something is waited for; what other threads do for it does not count. */
export async function loopCpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  return sum(process.threadCpuUsage(before))
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return user + system
}

const GROWTH = 4
/** Time is counted in steps of some milliseconds, and the first run of anything is slow. */
const SLACK_US = 20_000

/** What is not linear is so every time; a collection of garbage is not. */
const ROUNDS = 3

/** Four times as much takes about four times as long: not sixteen times, as what compares everything with everything. */
export function assertLinear(what: string, work: (size: number) => unknown, size: number): void {
  const seen: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [small, large] = [leastCpu(() => work(size)), leastCpu(() => work(size * GROWTH))]
    if (large < 2 * GROWTH * small + SLACK_US) return
    seen.push(`${small} µs for ${size}, ${large} µs for ${size * GROWTH}`)
  }
  assert.fail(`${what}: ${seen.join('; ')}`)
}
