import type { CallServices } from '../calls/services/call-services.ts'
import type { EdgeServices } from '../http/edge-services.ts'
import type { MoneyServices } from '../money/money-services.ts'
import type { OperationServices } from '../http/operation-services.ts'
import type { TenantServices } from '../tenants/tenant-services.ts'
import type { Services } from '../http/services.ts'
import type { JobServices } from '../jobs/job-services.ts'
import type { TrustedProxies } from '../platform/net/addresses/client-address.ts'

/** What the groups have beside the services of calls. It outlasts every configuration. */
export type LastingServices = {
  jobs: Own<JobServices>
  tenants: Own<TenantServices>
  money: Own<MoneyServices>
  operations: OperationServices
  edge: Omit<EdgeServices, 'proxies'>
}

type Own<Group> = Omit<Group, keyof CallServices | 'calls'>

/** All services of one configuration: the groups share those of its calls. */
export function servicesOf(calls: CallServices, lasting: LastingServices, proxies: TrustedProxies): Services {
  const { db, now, monotonic, newId, config, catalog, aliases, files, contents, ledger, spendLimits } = calls
  const ground = { db, now, monotonic, newId }
  return {
    calls,
    jobs: { ...ground, calls, ...lasting.jobs },
    tenants: { ...ground, config, aliases, files, contents, ...lasting.tenants },
    money: { ...ground, config, catalog, ledger, spendLimits, ...lasting.money },
    operations: lasting.operations,
    edge: { ...lasting.edge, proxies },
  }
}
