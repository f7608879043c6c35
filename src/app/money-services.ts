import type { LiveRequests } from '../billing/live-requests.ts'
import type { CallServices, Ground } from './call-services.ts'

/** What reports about money and the budgets and rate limits of the admin API need. */
export type MoneyServices = Ground &
  Pick<CallServices, 'config' | 'catalog' | 'ledger' | 'spendLimits'> & {
    /** Who follows the request log. */
    liveRequests: LiveRequests
    /** Reads the budgets and rate limits of the store, if they have changed. */
    refreshLimits(): Promise<void>
  }
