import { amountAt, isRate, type Limit } from '../../platform/config/spend-limits/limit.ts'
import type { Database } from '../../platform/store/database.ts'
import { readRates } from '../../platform/store/limits/rates.ts'
import { readSessions } from '../../platform/store/limits/sessions.ts'
import { readWindows, type WindowSum } from '../../platform/store/limits/window-sums.ts'
import { windowAt } from './windows.ts'

/** What is known of one bucket of a limit, in whole billionths of a dollar or counts. */
export type BucketState = {
  bucket: string
  spent: number
  /** Held by processes; `idle` is the part of it that they may not need. */
  reserved: number
  idle: number
  lost: number
  /** Of a session: when it ends, if it is not used until then. */
  idleAt?: number
}

/** What is known of a limit at a moment. */
export type LimitState = {
  cap: number
  resetsAt: number | null
  buckets: BucketState[]
  /** The buckets are only for sums: the actor may not see whose they are. */
  hidesBuckets?: true
}

/** The state of these limits, as the store knows it. */
export async function statesOf(db: Database, limits: readonly Limit[], now: number): Promise<Map<string, LimitState>> {
  const states = statesAt(limits, now)
  const starts = new Map(limits.map((limit) => [limit.id, windowAt(limit, now).start]))
  const windowed = limits.filter((limit) => !isRate(limit) && limit.idleMs === null).map(({ id }) => id)
  const since = Math.min(...windowed.map((id) => starts.get(id)!))
  const windows = windowed.length > 0 ? await readWindows(db, windowed, since) : []
  const slots = new Set(limits.filter(({ unit }) => unit === 'concurrent').map(({ id }) => id))
  for (const { limit, bucket, start, spent, leased, callable: idle, lost: expired } of windows) {
    if (starts.get(limit) !== start) continue
    // Slots of a process that died are free again.
    const lost = slots.has(limit) ? 0 : expired
    states.get(limit)!.buckets.push({ bucket, spent, reserved: leased + lost, idle, lost })
  }
  await addSessions(db, limits, states, now)
  await addRates(db, limits.filter(isRate), states)
  return states
}

/** The states of limits of which nothing is known to be spent. */
export function statesAt(limits: readonly Limit[], now: number): Map<string, LimitState> {
  return new Map(limits.map((limit) => [limit.id, stateOf(limit, now)]))
}

/** The sessions that have not been idle for too long, each with the window that is open. */
async function addSessions(db: Database, limits: readonly Limit[], states: Map<string, LimitState>, now: number) {
  const idleMs = new Map(limits.flatMap(({ id, idleMs }) => (idleMs === null ? [] : [[id, idleMs] as const])))
  const ids = [...idleMs.keys()]
  const known = (await readSessions(db, ids)).filter(({ limit, unusedMs }) => unusedMs < idleMs.get(limit)!)
  if (known.length === 0) return
  const nameOf = ({ limit, bucket, start }: Pick<WindowSum, 'limit' | 'bucket' | 'start'>) =>
    [limit, bucket, start].join('\n')
  const windows = await readWindows(db, ids, Math.min(...known.map(({ start }) => start)))
  const sums = new Map(windows.map((window) => [nameOf(window), window]))
  for (const session of known) {
    const { limit, bucket, unusedMs } = session
    const { spent = 0, leased = 0, lost = 0, callable: idle = 0 } = sums.get(nameOf(session)) ?? {}
    const idleAt = now + idleMs.get(limit)! - unusedMs
    states.get(limit)!.buckets.push({ bucket, spent, reserved: leased + lost, idle, lost, idleAt })
  }
}

async function addRates(db: Database, limits: readonly Limit[], states: Map<string, LimitState>): Promise<void> {
  const ids = limits.map(({ id }) => id)
  for (const { limit, bucket, spent, leased, callable } of await readRates(db, ids))
    states.get(limit)!.buckets.push({ bucket, spent, reserved: leased, idle: callable, lost: 0 })
}

function stateOf(limit: Limit, now: number): LimitState {
  const { end } = windowAt(limit, now)
  return { cap: amountAt(limit, now), resetsAt: Number.isFinite(end) ? end : null, buckets: [] }
}
