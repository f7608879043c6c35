import { maskUrls } from '../redaction/mask-urls.ts'
import { problem } from '../contract/problems.ts'
import { type DeliveryState, listDeliveries, redeliver } from '../store/deliveries.ts'
import { listAllJobs } from '../store/jobs.ts'
import type { JobStatus } from '../contract/universal.ts'
import type { AppContext } from '../app/context.ts'
import type { Author } from '../audit/author.ts'
import { recorded } from '../audit/record.ts'
import type { Actor } from '../people/actor.ts'
import { reachIn } from '../people/may.ts'

// What the operator sees of jobs and webhooks: states and times, never inputs, outputs or bodies.

type Page = { limit: number; cursor?: string | undefined }

/** Who asks. Managers see their projects, members what their own keys have made. */
type Watcher = Pick<AppContext, 'db'> & { actor: Actor }

export async function watchJobs(page: Page & { status?: JobStatus | undefined }, { db, actor }: Watcher) {
  const { items, nextCursor } = await listAllJobs(db, { ...page, reach: await reachIn(actor, 'jobs.read', db) })
  return { items: items.map(withIsoTimes), next_cursor: nextCursor }
}

export async function watchDeliveries(
  page: Page & { state?: DeliveryState | undefined; jobId?: string | undefined },
  { db, actor }: Watcher,
) {
  const { items, nextCursor } = await listDeliveries(db, { ...page, reach: await reachIn(actor, 'jobs.read', db) })
  return { items: items.map(deliveryShown), next_cursor: nextCursor }
}

/** Sends exactly the bytes that were signed once more. */
export async function sendAgain(id: string, context: Watcher & Pick<AppContext, 'wakeDeliverer'> & { author: Author }) {
  const { db, wakeDeliverer, actor, author } = context
  const reach = await reachIn(actor, 'jobs.write', db)
  const { items } = await listDeliveries(db, { limit: 1, id, reach })
  const event = { action: 'delivery.redeliver', object: `delivery:${id}` }
  const delivery = items.length > 0 ? await redeliver(recorded(db, author, event), id) : undefined
  if (!delivery) throw problem('not_found', { message: 'There is no such delivery.' })
  wakeDeliverer()
  return deliveryShown(delivery)
}

/** Callers put secrets into the URLs of their receivers, which the operator must not see. */
function deliveryShown(delivery: { url: string }): Record<string, unknown> {
  return withIsoTimes({ ...delivery, url: maskUrls(delivery.url) })
}

/** `createdAt: 1794712166490` → `created_at: "2026-11-15T…Z"`. */
function withIsoTimes(row: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => {
      const isTime = key.endsWith('At') && typeof value === 'number'
      return [
        key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        isTime ? new Date(value).toISOString() : value,
      ]
    }),
  )
}
