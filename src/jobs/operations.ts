import { maskUrls } from '../redaction/mask-urls.ts'
import { problem } from '../contract/problems.ts'
import { type DeliveryState, listDeliveries, redeliver } from '../store/deliveries.ts'
import { listAllJobs } from '../store/jobs.ts'
import type { JobStatus } from '../contract/universal.ts'
import type { AppContext } from '../app/context.ts'

// What the operator sees of jobs and webhooks: states and times, never inputs, outputs or bodies.

type Page = { limit: number; cursor?: string | undefined }

export async function watchJobs(page: Page & { status?: JobStatus | undefined }, { db }: AppContext) {
  const { items, nextCursor } = await listAllJobs(db, page)
  return { items: items.map(withIsoTimes), next_cursor: nextCursor }
}

export async function watchDeliveries(
  page: Page & { state?: DeliveryState | undefined; jobId?: string | undefined },
  { db }: AppContext,
) {
  const { items, nextCursor } = await listDeliveries(db, page)
  return { items: items.map(deliveryShown), next_cursor: nextCursor }
}

/** Sends exactly the bytes that were signed once more. */
export async function sendAgain(id: string, { db, wakeDeliverer }: AppContext) {
  const delivery = await redeliver(db, id)
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
