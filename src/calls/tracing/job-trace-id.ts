import { hash } from 'node:crypto'

const TRACE_DIGITS = 32
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The trace of a job is its id without the dashes. So its executions and its webhooks are one trace, in whichever process
 * they happen, and the id of a job is enough to find its trace.
 */
export function traceIdOfJob(id: string): string {
  return UUID.test(id) ? id.replaceAll('-', '') : hash('sha256', id).slice(0, TRACE_DIGITS)
}
