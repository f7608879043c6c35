import { DEFAULT_LIMITS, type TimeLimits } from '../../config/time-limits.ts'
import type { Fields } from '../../schema/record.ts'
import type { Deployment } from './deployments.ts'
import { numberOf } from './values.ts'

const MAX_MS = 86_400_000

/** The longest of the deployments, because the limits belong to the alias. */
export function timeoutsOf(group: readonly Pick<Deployment, 'params'>[]): Partial<TimeLimits> | undefined {
  const all = group.map(({ params }) => timeoutsIn(params))
  const limits: Partial<TimeLimits> = {}
  for (const one of all)
    for (const [name, value] of Object.entries(one) as [keyof TimeLimits, number][])
      limits[name] = Math.max(limits[name] ?? 0, value)
  return Object.keys(limits).length > 0 ? limits : undefined
}

/** LiteLLM's timeout, in seconds, is for silence: until an answer begins, and between two pieces of it. */
export function timeoutsIn({ timeout, request_timeout, stream_timeout }: Fields): Partial<TimeLimits> {
  const silence = milliseconds(timeout ?? request_timeout)
  const firstTokenMs = milliseconds(stream_timeout)
  return {
    ...(silence !== undefined && { headersMs: silence, idleMs: silence }),
    ...(silence !== undefined && silence > DEFAULT_LIMITS.totalMs && { totalMs: silence }),
    ...(firstTokenMs !== undefined && { firstTokenMs }),
  }
}

function milliseconds(seconds: unknown): number | undefined {
  const number = numberOf(seconds)
  return number !== undefined && number > 0 ? Math.min(MAX_MS, Math.ceil(number * 1_000)) : undefined
}
