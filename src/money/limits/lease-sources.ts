import { isRate } from '../../platform/config/spend-limits/limit.ts'
import type { Database } from '../../platform/store/database.ts'
import {
  COUNTS_FOREVER,
  giveBackLease,
  type LeaseGrant,
  takeLimitLease,
  type WindowKey,
} from '../../platform/store/limits/leases.ts'
import { openSession } from '../../platform/store/limits/sessions.ts'
import { takeRate } from '../../platform/store/limits/rates.ts'
import { RateUses } from './rates/rate-uses.ts'
import type { OpenWindow } from './reservation.ts'
import type { Granted, ShareSource, ShareRequest } from './share-source.ts'
import type { StoreClock } from './rates/store-clock.ts'
import { LENGTH_MS } from './windows.ts'

// Where shares get their amounts from: leases of windows and slots, and of rates, which also tell when they were used.

export type SourceOptions = {
  db: Database
  /** A name for this process that no other process has, also none before it. */
  processName: string
  /** How many processes take from the same limits. */
  processCount(): number
}

/** A lease is renewed often, and used no longer than the store keeps it. */
const LEASE = { forMs: 60_000, useMs: 50_000 }
/** What a process that died held of slots, and of limits per second, is free again soon. */
const SHORT_LEASE = { forMs: 20_000, useMs: 15_000 }

/** The source of a share, and what is known about the uses of a rate. */
type Sourced = { source: ShareSource; rate?: RateUses | undefined }

/** What a source has to know. The cap changes with the limit. */
type Leased = Pick<OpenWindow, 'limit' | 'bucket' | 'start' | 'cap' | 'session'>

export function sourceOf(window: Leased, options: SourceOptions, clock: StoreClock): Sourced {
  if (isRate(window.limit)) return rateOf(window, options, clock)
  return { source: window.session ? sessionSource(window, options, clock) : leaseSource(window, options) }
}

/**
 * A session begins and ends in the store. As long as this process holds something of its window, that window is open; before it asks
 * for more, the window may have ended, and then a new one begins.
 */
function sessionSource(window: Leased, options: SourceOptions, clock: StoreClock): ShareSource {
  const { limit, bucket } = window
  const session = window.session!
  const source = leaseSource(window, options)
  const ask = async (request: ShareRequest): Promise<Granted> => {
    const { key, shared } = session
    const opening = { limit: limit.id, bucket, key, shared, idleMs: limit.idleMs!, max: limit.maxSessions! }
    const start = await openSession(options.db, opening)
    session.crowdedUntil = start === undefined ? clock.monotonic() + CROWDED_MS : undefined
    if (start === undefined) return { granted: 0, spent: 0, leased: 0 }
    window.start = start
    return await source.ask(request)
  }
  return { ...source, ask }
}

/** Calls of a session that is not counted apart look again after this time. */
const CROWDED_MS = 5_000

function leaseSource(window: Leased, { db, processName, processCount }: SourceOptions): ShareSource {
  const isSlot = window.limit.unit === 'concurrent'
  const { forMs, useMs } = isSlot ? SHORT_LEASE : LEASE
  const leaseOf = () => ({ ...windowKey(window), processName, forMs, countsMs: isSlot ? 0 : COUNTS_FOREVER })
  return {
    lifeMs: useMs,
    ask: async ({ unused, ...request }) => {
      const ask = { ...leaseOf(), ...request, amount: window.cap, processCount: processCount() }
      // A slot goes back as soon as its call has ended.
      if (isSlot && processCount() > 1) Object.assign(ask, { want: request.need, leanMs: forMs })
      return grantedOf(await takeLimitLease(db, ask), window, request)
    },
    giveBack: async ({ returned, leanMs }) => {
      await giveBackLease(db, { ...leaseOf(), leanMs }, returned)
      return undefined
    },
  }
}

function grantedOf(
  { callable, inUse, ...sums }: LeaseGrant,
  { cap }: Leased,
  { need }: Pick<ShareRequest, 'need'>,
): Granted {
  const room = Math.max(0, cap - sums.spent - sums.leased)
  const mayComeBack = callable > 0 && room + callable >= need
  return { ...sums, room, mayComeBack, isInUse: inUse > 0 && room + inUse >= need }
}

export function windowKey({ limit, bucket, start }: Pick<Leased, 'limit' | 'bucket' | 'start'>): WindowKey {
  return { limit: limit.id, bucket, start }
}

function rateOf(window: Leased, { db, processName, processCount }: SourceOptions, clock: StoreClock): Sourced {
  const { limit, bucket } = window
  const windowMs = LENGTH_MS[limit.window]!
  const { forMs, useMs } = limit.window === 'second' ? SHORT_LEASE : LEASE
  const lease = { limit: limit.id, bucket, processName, forMs, countsMs: windowMs }
  const rate = new RateUses(windowMs, clock)
  const ask = async (request: ShareRequest): Promise<Granted> => {
    const uses = rate.untold.take()
    const askedAt = clock.monotonic()
    const { need, unused } = request
    const rateAsk = { ...lease, ...request, uses, amount: window.cap, processCount: processCount() }
    const answer = await takeRate(db, rateAsk).catch((error) => {
      rate.untold.putBack(uses)
      throw error
    })
    const { at, uses: counted, ...sums } = answer
    clock.heard(at, askedAt)
    rate.heard(counted, sums.leased - unused - sums.granted)
    const waitMs = rate.endOf(need - (window.cap - sums.spent - sums.leased))
    return { ...grantedOf(sums, window, request), room: undefined, waitMs }
  }
  const giveBack: ShareSource['giveBack'] = (given) => ask({ ...given, need: 0, want: 0, callsBack: false })
  return { source: { lifeMs: useMs, ask, giveBack, uses: rate }, rate }
}
