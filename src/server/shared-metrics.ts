import { setTimeout as sleep } from 'node:timers/promises'
import type { CallServices } from '../calls/services/call-services.ts'
import { type RemainingBudget, remainingBudgets } from '../money/limits/budgets-left.ts'
import { type Backlogs, readBacklogs } from '../platform/store/backlogs.ts'
import { writeFamily } from '../platform/telemetry/metric-families.ts'
import { writeEach } from '../platform/telemetry/metrics.ts'

// Metrics about the whole store. Only the process that answers /metrics reads them, so that processes that share a port do not
// count them several times.

/** /metrics needs no key, so however often it is asked, the store is not. */
const FRESH_MS = 5_000
/** A scraper does not wait for a store that is away. */
const ANSWER_MS = 1_000
const MAX_BUDGETS = 500

type Read = { backlogs: Backlogs; budgets: RemainingBudget[] }
type Needs = Pick<CallServices, 'db' | 'spendLimits' | 'now' | 'monotonic'> & { answerMs?: number | undefined }

/** Returns the function that reads the metrics as text. */
export function sharedMetrics(needs: Needs): () => Promise<string> {
  const { answerMs = ANSWER_MS } = needs
  let reading: Promise<Read | undefined> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (!reading || needs.monotonic() - readAt >= FRESH_MS) {
      readAt = needs.monotonic()
      reading = read(needs).catch(() => undefined)
    }
    const found = await Promise.race([reading, sleep(answerMs, undefined, { ref: false })])
    return write(found)
  }
}

async function read({ db, spendLimits, now }: Needs): Promise<Read> {
  const budgets = remainingBudgets(db, { limits: spendLimits.all, now: now(), most: MAX_BUDGETS })
  const [backlogs, remaining] = await Promise.all([readBacklogs(db), budgets])
  return { backlogs, budgets: remaining }
}

/** While the store is away, the families have no samples: what was true before is not repeated. */
function write(found: Read | undefined): string {
  const jobs = found ? (['queued', 'running'] as const).map((state) => [state, found.backlogs[state]] as const) : []
  const deliveries = found ? [found.backlogs.deliveries] : []
  const budgets = found?.budgets ?? []
  return [
    writeFamily('gatehouse_store_reachable', [`gatehouse_store_reachable ${found ? 1 : 0}`]),
    writeEach('gatehouse_jobs', 'state', new Map(jobs.map(([state, { many }]) => [state, many]))),
    writeEach(
      'gatehouse_jobs_oldest_age_seconds',
      'state',
      new Map(jobs.map(([state, { oldestMs }]) => [state, oldestMs / 1000])),
    ),
    writeFamily(
      'gatehouse_deliveries_pending',
      deliveries.map(({ many }) => `gatehouse_deliveries_pending ${many}`),
    ),
    writeFamily(
      'gatehouse_deliveries_oldest_age_seconds',
      deliveries.map(({ oldestMs }) => `gatehouse_deliveries_oldest_age_seconds ${oldestMs / 1000}`),
    ),
    writeEach('gatehouse_budget_limit_usd', 'limit', new Map(budgets.map(({ id, limit }) => [id, limit]))),
    writeEach('gatehouse_budget_remaining_usd', 'limit', new Map(budgets.map(({ id, remaining }) => [id, remaining]))),
  ].join('')
}
