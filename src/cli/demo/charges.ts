import { hasWindows, type Limit } from '../../platform/config/spend-limits/limit.ts'
import { readSettings, MAX_STORED_LIMITS } from '../../money/limits/limit-cache.ts'
import { bucketOf, concernsTarget, type LimitedCall, LimitIndex } from '../../money/limits/match-limits.ts'
import { type Span, spanAt } from '../../money/limits/windows.ts'
import { toNanos } from '../../platform/store/ledger/money.ts'
import type { Charge } from '../../platform/store/limits/charges.ts'
import { readStoredLimits } from '../../platform/store/limits/stored-limits.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import type { Demo } from './demo.ts'

const PROCESS_NAME = 'demo'

/** What lines are charged to: as if the calls had been counted against the limits. */
export async function openCharges({ db }: Demo): Promise<(line: LedgerLine, call: LimitedCall) => Charge[]> {
  const stored = await readStoredLimits(db, MAX_STORED_LIMITS)
  const index = new LimitIndex(stored.flatMap(({ settings }) => readSettings(settings) ?? []))
  const startAt = spanStarts()
  return (line, call) => {
    if (line.attempts === 0) return []
    return index
      .limitsOf(call)
      .filter((limit) => concernsTarget(limit, { id: line.model, provider: { id: line.provider } }))
      .flatMap((limit) => chargeOf(limit, line, bucketOf(limit, call), startAt(limit, line.at)))
  }
}

function chargeOf(limit: Limit, line: LedgerLine, bucket: string, start: number): Charge[] {
  const used = usedOf(limit, line)
  if (used === 0 || !hasWindows(limit)) return []
  return [[limit.id, bucket, start, used, PROCESS_NAME]]
}

/** When the window of a limit began. Calls that follow each other are mostly in the same window, and time zones are slow. */
function spanStarts(): (limit: Limit, at: number) => number {
  const last = new Map<Limit, Span>()
  return (limit, at) => {
    const previous = last.get(limit)
    if (previous && previous.start <= at && at < previous.end) return previous.start
    const span = spanAt(limit.window, limit.timezone, at)
    last.set(limit, span)
    return span.start
  }
}

function usedOf({ unit }: Limit, { cost, promptTokens, completionTokens }: LedgerLine): number {
  if (unit === 'usd') return toNanos(cost) ?? 0
  return unit === 'requests' ? 1 : promptTokens + completionTokens
}
