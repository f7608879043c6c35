// What everything is held against: reading the same bytes with JSON.parse, in CPU of one thread.

/** The kernel counts CPU in ticks of 4 ms, a collection may fall into any turn, and the first run of anything is slow. */
const SLACK_MS = 60
const RUNS = 3

/** How long one turn of the gateway's event loop may take for these bytes: twice what JSON.parse needs. */
export function longestTurnMs(bytes: Buffer): number {
  return 2 * Math.min(...Array.from({ length: RUNS }, () => parseCpuMs(bytes))) + SLACK_MS
}

function parseCpuMs(bytes: Buffer): number {
  const before = process.threadCpuUsage()
  try {
    JSON.parse(bytes.toString())
  } catch {
    // That it is not JSON is found out at the same cost.
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
