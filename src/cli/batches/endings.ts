import type { Batch } from '../../contract/batches.ts'

/** What scripts have to look at: the batch has not done what it was asked for. */
const FAILURES: readonly Batch['status'][] = ['failed', 'expired', 'cancelled']

export function hasEnded({ status }: Batch): boolean {
  return status === 'completed' || FAILURES.includes(status)
}

export function exitCodeOf({ status }: Batch): number {
  return FAILURES.includes(status) ? 1 : 0
}
