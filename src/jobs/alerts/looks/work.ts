import {
  countFailedDeliveries,
  countFailedJobs,
  findBacklogs,
  oldestWithoutCheckpoint,
} from '../../../platform/store/alerts/conditions-seen.ts'
import { INSTALLATION, type Look, levelOf, type Observation, OVER_BELOW } from '../observation.ts'
import { MINUTE_MS, HOUR_MS } from '../../../base/units/units.ts'

// Work in the background that does not end as it should.

const JOBS_MINUTES = 15
const DELIVERIES_MINUTES = 60

export const lookAtJobs: Look = async ({ db, now, threshold }) => {
  const value = await countFailedJobs(db, now - JOBS_MINUTES * MINUTE_MS)
  return counted(value, threshold, `${value} jobs failed in the last ${JOBS_MINUTES} minutes.`)
}

export const lookAtDeliveries: Look = async ({ db, now, threshold }) => {
  const value = await countFailedDeliveries(db, now - DELIVERIES_MINUTES * MINUTE_MS)
  return counted(
    value,
    threshold,
    `${value} webhooks of jobs failed for good in the last ${DELIVERIES_MINUTES} minutes.`,
  )
}

function counted(value: number, threshold: number, summary: string): Observation[] {
  const level = levelOf(value, threshold)
  return level ? [{ subject: INSTALLATION, level, value, threshold, summary, details: { count: value } }] : []
}

/** Each process tells the others how many of its lines the store does not have yet. */
export const lookAtBacklogs: Look = async ({ db, threshold }) => {
  const found = await findBacklogs(db, Math.ceil(threshold * OVER_BELOW))
  return found.map(({ id, waiting }) => ({
    subject: `process:${id}`,
    level: levelOf(waiting, threshold)!,
    value: waiting,
    threshold,
    summary: `${waiting} ledger lines of the process ${id} are not in the store yet.`,
    details: { process: id, lines: waiting },
  }))
}

/** A checkpoint is due after an hour; rows that wait for much longer mean that none can be written. */
export const lookAtCheckpoints: Look = async ({ db, now, threshold }) => {
  const oldest = await oldestWithoutCheckpoint(db)
  const value = oldest === undefined ? 0 : (now - oldest) / HOUR_MS
  if (value < threshold) return []
  const hours = Math.floor(value)
  const summary = `Rows of the audit log have been without a checkpoint for ${hours} hours.`
  const details = { oldest_row: new Date(oldest!).toISOString(), hours }
  return [{ subject: INSTALLATION, level: 'high', value, threshold, summary, details }]
}
