import { audited } from '../../tenants/audit/audited.ts'
import type { BulkResult } from '../../contract/admin/bulk.ts'
import type { Delivery } from '../../contract/admin/operations.ts'
import { inBulk } from '../../tenants/people/in-bulk.ts'
import { reachIn } from '../../tenants/people/may.ts'
import { chooseFailed, countFailed, redeliver, redeliverAll } from '../../platform/store/deliveries/redeliver.ts'
import { type DeliveryFilter, listDeliveries } from '../../platform/store/deliveries/watched-deliveries.ts'
import type { JobServices } from '../job-services.ts'
import { deliveryShown, unknownDelivery } from './watch-deliveries.ts'
import type { Watcher } from './watch-jobs.ts'

type Sender = Watcher & Pick<JobServices, 'background'>

/** Sends exactly the bytes that were signed once more. */
export async function sendAgain(id: string, { db, background, actor, author }: Sender): Promise<Delivery> {
  const { items } = await listDeliveries(db, { limit: 1, id, reach: await reachIn(actor, 'jobs.write', db) })
  const event = { action: 'delivery.redeliver', object: `delivery:${id}` }
  const delivery = items.length > 0 ? await redeliver(audited(db, author, event), id) : undefined
  if (!delivery) throw unknownDelivery()
  background.current?.wakeDeliverer()
  return deliveryShown(delivery)
}

/** The same with all that were given up and pass a filter. */
export async function sendAllAgain(
  { filter, expected }: { filter: DeliveryFilter; expected: number | null | undefined },
  { db, background, actor, author }: Sender,
): Promise<BulkResult> {
  const chosen = { ...filter, reach: await reachIn(actor, 'jobs.write', db) }
  return await inBulk({
    expected,
    count: () => countFailed(db, chosen),
    act: async (limit) => {
      const ids = await chooseFailed(db, chosen, limit)
      if (ids.length === 0) return { chosen: 0, done: 0 }
      const event = { action: 'delivery.bulk_redeliver', object: 'deliveries', after: { ...filter, deliveries: ids } }
      const done = await redeliverAll(audited(db, author, event), ids)
      background.current?.wakeDeliverer()
      return { chosen: ids.length, done }
    },
  })
}
