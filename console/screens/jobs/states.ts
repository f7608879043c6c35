import type { JobRecord } from '../../../src/contract/admin/jobs.ts'

type State = JobRecord['state']

/** The states of a job, as people call them. */
export const STATES: Readonly<Record<State, string>> = {
  queued: 'waiting',
  running: 'running',
  success: 'succeeded',
  fail: 'failed',
}

export const FILTER_STATES = {
  processing: 'Waiting or running',
  queued: 'Waiting',
  running: 'Running',
  success: 'Succeeded',
  fail: 'Failed',
}

/** Responses are jobs, too; their owner deletes them, and they are not run again. */
export const RESPONSES = 'responses'

export function hasEnded(state: State): boolean {
  return state === 'success' || state === 'fail'
}
