import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import type { Database } from '../../platform/store/database.ts'
import { readStoredLimits } from '../../platform/store/limits/stored-limits.ts'
import type { ForecastSource } from './forecast.ts'
import { MAX_STORED_LIMITS, withStored } from './limit-cache.ts'
import { statesAt, statesOf } from './limit-states.ts'
import { LimitIndex } from './match-limits.ts'
import type { SpendLimits } from './spend-limits.ts'

type Clocked = { now(): number }

/** The limits of a running gateway. */
export function limitsOfGateway({ db, now, spendLimits }: Clocked & { db: Database; spendLimits: SpendLimits }) {
  return {
    limitsOf: (call) => spendLimits.limitsOf(call),
    statesOf: (limits) => statesOf(db, limits, now()),
    freeOf: (limit, bucket) => spendLimits.shares.freeOf(limit, bucket),
  } satisfies ForecastSource
}

/** The limits of the config file, of which nothing is known to be spent. */
export function limitsOfFile(limits: readonly Limit[], { now }: Clocked): ForecastSource {
  const index = new LimitIndex(limits)
  return {
    limitsOf: (call) => index.limitsOf(call),
    statesOf: async (limits) => statesAt(limits, now()),
    freeOf: () => 0,
  }
}

/** The limits of the config file and of a store that no gateway need be running on. They are all read now. */
export async function limitsOfStore(ofFile: readonly Limit[], db: Database, { now }: Clocked): Promise<ForecastSource> {
  const all = withStored(ofFile, await readStoredLimits(db, MAX_STORED_LIMITS))
  const states = await statesOf(db, all, now())
  return { ...limitsOfFile(all, { now }), statesOf: async () => states }
}
