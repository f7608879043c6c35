import type { WatchedBatch } from '../../../src/contract/admin/batches.ts'

/** The states of a batch, as people call them. */
export const STATES: Readonly<Record<WatchedBatch['status'], string>> = {
  validating: 'checking',
  in_progress: 'in progress',
  cancelling: 'cancelling',
  finalizing: 'finishing',
  completed: 'completed',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
}

export const FILTER_STATES = {
  open: 'Not ended',
  validating: 'Checking',
  in_progress: 'In progress',
  cancelling: 'Cancelling',
  finalizing: 'Finishing',
  completed: 'Completed',
  failed: 'Failed',
  expired: 'Expired',
  cancelled: 'Cancelled',
}

export const EXECUTIONS: Readonly<Record<WatchedBatch['execution'], string>> = {
  auto: 'provider or gateway',
  native: 'provider',
  emulated: 'gateway',
}
