import type { LiveRequests } from './billing/live-requests.ts'
import type { Ledger } from './billing/ledger.ts'
import type { Catalog } from '../platform/catalog/catalog.ts'
import type { Config } from '../platform/config/config.ts'
import type { SpendLimits } from './limits/spend-limits.ts'
import type { Ground } from '../platform/ground.ts'

/** What reports about money and the budgets and rate limits of the admin API need. */
export type MoneyServices = Ground & {
  config: Config
  catalog: Catalog
  ledger: Ledger
  spendLimits: SpendLimits
  /** Who follows the request log. */
  liveRequests: LiveRequests
  /** Reads the budgets and rate limits of the store, if they have changed. */
  refreshLimits(): Promise<void>
}
