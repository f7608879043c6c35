import type { Problem } from '../contract/problems.ts'

/** The same request would be refused again. A provider's 404 or 422 is the caller's too. */
export const PERMANENT_STATUSES: readonly number[] = [400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 424, 451, 501]
/** With these, only the operator can help. */
const PERMANENT_CODES: ReadonlySet<string> = new Set(['upstream_auth'])
/** Clients that wait longer than this keep their own callers waiting. */
const MAX_WAIT_SECONDS = 60
const SECOND_MS = 1_000

/**
 * What clients read to decide whether they send a request again. `x-should-retry: false` overrides the rules of an SDK, so it is
 * only sent where a retry is of no use; otherwise the SDK decides, with our wait if we know one.
 */
export function retryHeaders({ status, code, details }: Problem): Record<string, string> {
  const { retryAfterSeconds: seconds } = details
  const isLong = seconds !== undefined && seconds > MAX_WAIT_SECONDS
  const isPermanent = PERMANENT_STATUSES.includes(status) || PERMANENT_CODES.has(code)
  return {
    ...(seconds !== undefined && { 'retry-after': String(Math.ceil(seconds)) }),
    ...(seconds !== undefined && !isLong && { 'retry-after-ms': String(Math.ceil(seconds * SECOND_MS)) }),
    ...((isPermanent || isLong) && { 'x-should-retry': 'false' }),
  }
}
