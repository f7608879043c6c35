import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import {
  entryOf,
  fromAmount,
  type LimitEntry,
  type LimitFault,
} from '../../platform/config/spend-limits/limit-entry.ts'
import type { ChangeLimitRequest, LimitBody } from '../../contract/admin/limits.ts'
import type { StoredLimit } from '../../platform/store/limits/stored-limits.ts'
import type { LimitLevel } from './limit-rights.ts'
import type { LimitState } from './limit-states.ts'

// Limits in the spelling of the admin API.

const SPELLINGS = { applies_to: 'appliesTo', on_exceeded: 'onExceeded', max_sessions: 'maxSessions' } as const
const MAX_BUCKETS = 100

/** The entry with the changes of a body. A member that is null is removed. */
export function entryWith(body: ChangeLimitRequest, before: Partial<LimitEntry> = {}): LimitEntry {
  const changed: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(body)) {
    const member = SPELLINGS[name as keyof typeof SPELLINGS] ?? name
    if (value === null) delete changed[member]
    else changed[member] = value
  }
  return changed as LimitEntry
}

/** The name of a member in the admin API. */
export function spellingOf({ member }: LimitFault): string {
  return Object.entries(SPELLINGS).find(([, own]) => own === member)?.[0] ?? member
}

export function bodyOfLimit(limit: Limit, state: LimitState, stored: StoredLimit | undefined): LimitBody {
  const { appliesTo, onExceeded, maxSessions, ...entry } = entryOf(limit)
  const shown = (amount: number) => fromAmount(amount, limit.unit)
  const buckets = limit.per && !state.hidesBuckets ? state.buckets : []
  return {
    ...(entry as Omit<LimitBody, 'applies_to' | 'on_exceeded' | keyof ReturnType<typeof sums>>),
    ...(maxSessions !== undefined && { max_sessions: maxSessions }),
    applies_to: appliesTo,
    on_exceeded: onExceeded,
    owned_by: limit.ownedBy,
    set_by: setByOf(stored),
    effective_limit: shown(state.cap),
    ...sums(limit, state),
    lost: shown(state.buckets.reduce((sum, { lost }) => sum + lost, 0)),
    buckets: buckets.slice(0, MAX_BUCKETS).map(({ bucket, spent, reserved }) => {
      return { bucket, spent: shown(spent), reserved: shown(reserved) }
    }),
    created_at: stored ? new Date(stored.createdAt).toISOString() : null,
    updated_at: stored ? new Date(stored.updatedAt).toISOString() : null,
  } as LimitBody
}

/** With which rights a limit was set. Those of the config file are set by the installation. */
export function setByOf(stored: StoredLimit | undefined): LimitLevel {
  return stored ? (stored.setBy as LimitLevel) : 'installation'
}

/** The figures of a limit, of one bucket or of all together. */
export function sums(limit: Limit, { cap, resetsAt, buckets }: LimitState, bucket?: string) {
  const counted = bucket === undefined ? buckets : buckets.filter((one) => one.bucket === bucket)
  const spent = counted.reduce((sum, one) => sum + one.spent, 0)
  const reserved = counted.reduce((sum, one) => sum + one.reserved, 0)
  const isOne = limit.per === null || bucket !== undefined
  return {
    spent: fromAmount(spent, limit.unit),
    reserved: fromAmount(reserved, limit.unit),
    left: isOne ? fromAmount(Math.max(0, cap - spent - reserved), limit.unit) : null,
    resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
  }
}
