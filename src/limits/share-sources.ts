import { isRate } from '../config/spend-limits/limit.ts'
import type { Database } from '../store/database.ts'
import { giveBackLease, takeLimitLease, type WindowKey } from '../store/limits/leases.ts'
import { giveBackRate, takeRate } from '../store/limits/rates.ts'
import type { Held } from './reservation.ts'
import type { ShareSource } from './share.ts'
import { LENGTH_MS } from './windows.ts'

// Where shares get their amounts from. What is leased of windows and slots is renewed and given back; what a rate grants flows off
// by itself.

export type SourceOptions = {
  db: Database
  /** A name for this process that no other process has, also none before it. */
  processName: string
  /** How many processes take from the same limits. */
  processCount(): number
}

/** A lease is renewed often, and used no longer than the store keeps it. */
export const LEASE_MS = 60_000
const USE_LEASE_MS = 50_000
/** Slots of a process that died are free again soon. */
const SLOT_MS = 20_000
const USE_SLOT_MS = 15_000
/** Part of a rate that one process takes at once. */
const RATE_PARTS = 20

export function sourceOf(held: Held, options: SourceOptions): ShareSource {
  return isRate(held.limit) ? rateOf(held, options) : leaseOf(held, options)
}

function leaseOf(held: Held, { db, processName, processCount }: SourceOptions): ShareSource {
  const isSlot = held.limit.unit === 'concurrent'
  const key = { ...windowKey(held), processName }
  return {
    lifeMs: isSlot ? USE_SLOT_MS : USE_LEASE_MS,
    ask: async ({ need, want }) => {
      const forMs = isSlot ? SLOT_MS : LEASE_MS
      const size = isSlot && processCount() > 1 ? need : want
      const ask = { ...key, amount: held.cap, need, want: size, processCount: processCount(), forMs }
      const answer = await takeLimitLease(db, { ...ask, expires: isSlot })
      return { ...answer, room: Math.max(0, held.cap - answer.spent - answer.leased) }
    },
    giveBack: (amount) => giveBackLease(db, key, amount),
  }
}

export function windowKey({ limit, bucket, start }: Held): WindowKey {
  return { limit: limit.id, bucket, start }
}

function rateOf(held: Held, { db, processCount }: SourceOptions): ShareSource {
  const { limit, bucket } = held
  const windowMs = LENGTH_MS[limit.window]!
  const key = { limit: limit.id, bucket }
  return {
    lifeMs: windowMs / RATE_PARTS,
    ask: async ({ need, owed }) => {
      const unitMs = windowMs / held.cap
      const want = Math.max(need, Math.floor(held.cap / (RATE_PARTS * processCount())))
      const { granted, left, waitMs } = await takeRate(db, { ...key, unitMs, windowMs, need, want, owed })
      return { granted, spent: Math.max(0, held.cap - left - granted), leased: granted, waitMs }
    },
    giveBack: (amount) => giveBackRate(db, key, amount * (windowMs / held.cap)),
    book: async (owed) => {
      await takeRate(db, { ...key, unitMs: windowMs / held.cap, windowMs, need: 0, want: 0, owed })
    },
  }
}
