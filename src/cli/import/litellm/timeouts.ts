import { DEFAULT_TIMEOUTS, type Timeouts } from '../../../platform/config/timeouts.ts'
import type { Fields } from '../../../base/schema/record.ts'
import type { Deployment } from './deployments.ts'
import { numberOf } from './values.ts'
import { DAY_MS } from '../../../base/units/units.ts'

const MAX_MS = DAY_MS

/** The longest of the deployments, because the limits belong to the alias. */
export function timeoutsOf(group: readonly Pick<Deployment, 'params'>[]): Partial<Timeouts> | undefined {
  const all = group.map(({ params }) => timeoutsIn(params))
  const timeouts: Partial<Timeouts> = {}
  for (const one of all)
    for (const [name, value] of Object.entries(one) as [keyof Timeouts, number][])
      timeouts[name] = Math.max(timeouts[name] ?? 0, value)
  return Object.keys(timeouts).length > 0 ? timeouts : undefined
}

/** LiteLLM's timeout, in seconds, is for silence: until an answer begins, and between two pieces of it. */
export function timeoutsIn({ timeout, request_timeout, stream_timeout }: Fields): Partial<Timeouts> {
  const silence = milliseconds(timeout ?? request_timeout)
  const firstTokenMs = milliseconds(stream_timeout)
  return {
    ...(silence !== undefined && { headersMs: silence, idleMs: silence }),
    ...(silence !== undefined && silence > DEFAULT_TIMEOUTS.totalMs && { totalMs: silence }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
  }
}

function milliseconds(seconds: unknown): number | undefined {
  const number = numberOf(seconds)
  return number !== undefined && number > 0 ? Math.min(MAX_MS, Math.ceil(number * 1_000)) : undefined
}
