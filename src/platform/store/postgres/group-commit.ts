import type { Result, Statement } from '../database.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { MB } from '../../../base/units/units.ts'

type Results = Result<Record<string, unknown>>[]
type Call = {
  statements: readonly Statement[]
  size: number
  done(results: Results): void
  failed(error: unknown): void
}
type Transaction = (statements: readonly Statement[]) => Promise<Results>

/** Two, so that one is executed while the other waits for the disk. */
const GROUPS_AT_ONCE = 2
const CALLS_PER_COMMIT = 32
/** All values of a group are in memory a second time while they are sent. */
const SIZE_OF_GROUP = MB

/**
 * Calls that come while others are being committed are committed together afterwards, in the order in which they came. That saves
 * a good part of a small transaction, and most of its wait for the disk. No call is answered before the commit, and one that fails
 * undoes only itself.
 */
export function groupCommit(transaction: Transaction) {
  let waiting: Call[] = []
  let groups = 0
  return {
    get waiting() {
      return waiting.length
    },
    run: (statements: readonly Statement[]) =>
      new Promise<Results>((done, failed) => {
        waiting.push({ statements, size: sizeOf(statements), done, failed })
        if (groups < GROUPS_AT_ONCE) void commitWaiting()
      }),
  }

  async function commitWaiting() {
    groups++
    while (waiting.length > 0) await commit(nextGroup())
    groups--
  }

  /** At least one call. */
  function nextGroup(): Call[] {
    let [count, size] = [0, 0]
    for (const call of waiting.slice(0, CALLS_PER_COMMIT)) {
      size += call.size
      if (count > 0 && size > SIZE_OF_GROUP) break
      count++
    }
    return waiting.splice(0, count)
  }

  async function commit(calls: Call[]): Promise<void> {
    try {
      const results = await transaction(calls.flatMap((call) => call.statements))
      for (const { statements, done } of calls) done(results.splice(0, statements.length))
    } catch (error) {
      if (error instanceof StoreUnavailable) return failAll(calls, error)
      if (calls.length === 1) return calls[0]!.failed(error)
      for (const call of calls) await commit([call])
    }
  }

  /** Those that wait would find the same store, and each group would first wait for it again. */
  function failAll(calls: Call[], error: StoreUnavailable) {
    const all = [...calls, ...waiting]
    waiting = []
    for (const { failed } of all) failed(error)
  }
}

function sizeOf(statements: readonly Statement[]): number {
  let size = 0
  for (const { values = [] } of statements)
    for (const value of values) if (typeof value === 'string' || value instanceof Uint8Array) size += value.length
  return size
}
