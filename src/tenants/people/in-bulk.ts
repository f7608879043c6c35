import type { BulkResult } from '../../contract/admin/bulk.ts'
import { problem } from '../../contract/problems.ts'

const AT_ONCE = 200
const MAX_IN_A_CALL = 10_000
/** Jobs come and go between the count that a person was shown and the confirmation. */
const TOLERATED = { count: 5, share: 0.05 }

type Bulk = {
  expected: number | null | undefined
  /** No other number will do. */
  isExact?: boolean
  count(): Promise<number>
  /** Does it with some of them. Returns how many were chosen, and with how many it was done. */
  act(limit: number): Promise<{ chosen: number; done: number }>
}

/**
 * Does something with everything that passes a filter, in batches, if their number is about the one that the person has
 * confirmed.
 */
export async function inBulk({ expected, isExact = false, count: countAll, act }: Bulk): Promise<BulkResult> {
  const count = await countAll()
  if (expected === undefined || expected === null) return { count, done: 0, more: count > 0 }
  const tolerated = isExact ? 0 : Math.max(TOLERATED.count, expected * TOLERATED.share)
  if (Math.abs(count - expected) > tolerated) throw changed(count, expected)
  // Never more than what was there: what comes later was not confirmed.
  const most = Math.min(count, MAX_IN_A_CALL)
  let done = 0
  for (let remaining = most; remaining > 0; ) {
    const batch = await act(Math.min(remaining, AT_ONCE))
    done += batch.done
    remaining -= batch.chosen
    if (batch.chosen === 0) break
  }
  return { count, done, more: count > most }
}

function changed(count: number, expected: number) {
  const message = `There are ${count} now, but you confirmed ${expected}. Nothing was done: look again, and confirm the new number.`
  return problem('conflict', { message, members: { count } })
}
