import { writeAuditEvents } from '../../tenants/audit/audited.ts'
import type { TestDelivery } from '../../contract/admin/deliveries.ts'
import { StoreUnavailable } from '../../platform/store/database.ts'
import type { JobServices } from '../job-services.ts'
import type { Watcher } from './watch-jobs.ts'

type Tester = Pick<Watcher, 'db' | 'author'> & Pick<JobServices, 'sendTest'>

/** Sends one signed webhook to an address that has been checked, which is in the audit log. */
export async function sendTest(
  url: string,
  { db, author, sendTest: { current: send } }: Tester,
): Promise<TestDelivery> {
  if (!send) throw new StoreUnavailable('The keys that sign webhooks are in the store.')
  await writeAuditEvents(db, author, {
    action: 'delivery.test',
    object: 'deliveries',
    after: { receiver: new URL(url).host },
  })
  return await send(url)
}
