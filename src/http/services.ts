import type { CallServices } from '../calls/services/call-services.ts'
import type { EdgeServices } from './edge-services.ts'
import type { MoneyServices } from '../money/money-services.ts'
import type { OperationServices } from './operation-services.ts'
import type { TenantServices } from '../tenants/tenant-services.ts'
import type { JobServices } from '../jobs/job-services.ts'

/** What the use cases behind the handlers need, by subject. A handler hands a use case the group that it needs. */
export type Services = {
  calls: CallServices
  jobs: JobServices
  tenants: TenantServices
  money: MoneyServices
  operations: OperationServices
  edge: EdgeServices
}

/** The services of the active configuration. A request keeps those with which it began, and with them its configuration. */
export type ActiveServices = { readonly current: Services }
