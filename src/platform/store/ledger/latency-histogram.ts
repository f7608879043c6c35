// How long calls took, as counts in ranges that grow by a factor of 1.6. Counts of several hours and days can be added up,
// which percentiles cannot. The bounds are also columns of a table: other bounds need a migration.

/** The upper bounds of the ranges, included, in milliseconds. What took longer is in one more range. */
export const LATENCY_BOUNDS_MS = Array.from({ length: 24 }, (_, index) => Math.round(10 * 1.6 ** index))

/** One for each bound, and one for what took longer than all of them. */
export const LATENCY_COLUMNS = [...LATENCY_BOUNDS_MS.map((bound) => `latency_${bound}`), 'latency_more']

/** SQL for the number of the range that the duration of a line is in. It stops at the first bound that fits. */
export const LATENCY_RANGE = `CASE ${LATENCY_BOUNDS_MS.map((bound, index) => `WHEN duration_ms <= ${bound} THEN ${index}`).join(' ')}
  ELSE ${LATENCY_BOUNDS_MS.length} END`

/** SQL that says whether the duration of a line is in a range, as 1 or 0. */
export function latencyCase(index: number): string {
  const above = LATENCY_BOUNDS_MS[index - 1]
  const bound = LATENCY_BOUNDS_MS[index]
  const limits = [
    ...(above === undefined ? [] : [`duration_ms > ${above}`]),
    ...(bound === undefined ? [] : [`duration_ms <= ${bound}`]),
  ]
  return `CASE WHEN ${limits.join(' AND ')} THEN 1 ELSE 0 END`
}

/**
 * The duration that this share of the calls did not exceed, in milliseconds: an estimate, which assumes that the calls of a
 * range are spread evenly. Null if there are no calls.
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total <= 0) return null
  let before = 0
  for (const [index, count] of counts.entries()) {
    if (count > 0 && before + count >= total * share) return within(index, (total * share - before) / count)
    before += count
  }
  return LATENCY_BOUNDS_MS.at(-1)!
}

/** The last range has no upper bound, so its lower one is the best that can be said. */
function within(index: number, part: number): number {
  const low = LATENCY_BOUNDS_MS[index - 1] ?? 0
  const high = LATENCY_BOUNDS_MS[index] ?? low
  return Math.round(low + (high - low) * part)
}
