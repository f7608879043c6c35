import { writeAuditEvents } from '../../tenants/audit/audited.ts'
import type { DeliveryRecord } from '../../contract/admin/deliveries.ts'
import type { Delivery, DeliveryList } from '../../contract/admin/operations.ts'
import { problem } from '../../contract/problems.ts'
import { reachIn } from '../../tenants/people/may.ts'
import { isoOf } from '../../tenants/people/people-services.ts'
import { maskUrls } from '../../base/redaction/mask-urls.ts'
import type { StoredDelivery } from '../../platform/store/deliveries/deliveries.ts'
import { readAttempts, type StoredAttempt } from '../../platform/store/deliveries/attempts.ts'
import { countFailed } from '../../platform/store/deliveries/redeliver.ts'
import {
  type DeliveryFilter,
  listDeliveries,
  readSent,
  type SentDelivery,
} from '../../platform/store/deliveries/watched-deliveries.ts'
import { type Signed, webhookHeaders } from '../webhooks/headers.ts'
import type { JobServices } from '../job-services.ts'
import { accessTo, contentsNotYours } from './content-readers.ts'
import type { Page, Watcher } from './watch-jobs.ts'

// What operators see of webhooks. Their bodies and the answers to them are contents.

const MAX_ATTEMPTS = 50

export async function watchDeliveries(page: Page & DeliveryFilter, { db, actor }: Watcher): Promise<DeliveryList> {
  const { items, nextCursor } = await listDeliveries(db, { ...page, reach: await reachIn(actor, 'jobs.read', db) })
  return { items: items.map(deliveryShown), next_cursor: nextCursor }
}

/** How many were given up. */
export async function countGivenUp(filter: DeliveryFilter, { db, actor }: Watcher): Promise<number> {
  return await countFailed(db, { ...filter, reach: await reachIn(actor, 'jobs.read', db) })
}

/** Reading what was sent is an entry of the audit log. */
export async function showDelivery(
  id: string,
  withContent: boolean,
  services: Watcher & Pick<JobServices, 'webhookKeys'>,
): Promise<DeliveryRecord> {
  const { db, actor, author } = services
  const { items } = await listDeliveries(db, { limit: 1, id, reach: await reachIn(actor, 'jobs.read', db) })
  const [delivery] = items
  const sent = delivery && (await readSent(db, id))
  if (!sent) throw unknownDelivery()
  const { mayRead } = await accessTo({ ...delivery, user: sent.user }, services)
  if (withContent && !mayRead) throw contentsNotYours()
  if (withContent) await writeAuditEvents(db, author, { action: 'delivery.read_content', object: `delivery:${id}` })
  const attempts = await readAttempts(db, id, MAX_ATTEMPTS)
  const signed = { id, keyId: delivery.keyId, signature: sent.signature }
  return {
    ...deliveryShown(delivery),
    can_read_content: mayRead,
    body: withContent ? textOf(sent) : null,
    attempt_list: attempts.map((attempt) => attemptShown(attempt, signed, withContent)),
    public_keys: keysOf(services),
  }
}

export function deliveryShown(delivery: StoredDelivery): Delivery {
  const { id, ownerId: owner, state, attempts } = delivery
  return {
    id,
    job_id: delivery.jobId,
    owner,
    key_id: delivery.keyId,
    state,
    attempts,
    // Callers put secrets into the URLs of their receivers, which the operator must not see.
    url: maskUrls(delivery.url),
    next_at: isoOf(delivery.nextAt),
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    created_at: isoOf(delivery.createdAt),
    settled_at: isoOf(delivery.settledAt),
  }
}

export function unknownDelivery() {
  return problem('not_found', { message: 'There is no such delivery.' })
}

function attemptShown({ signedAt, signature, at, ...attempt }: StoredAttempt, signed: Signed, withContent: boolean) {
  const { status, error, durationMs: duration_ms, answer } = attempt
  const time = signedAt === null ? undefined : { timestamp: signedAt, timestampSignature: signature ?? '' }
  const headers = time ? webhookHeaders(signed, time) : null
  return { at: isoOf(at), status, error, duration_ms, answer: withContent ? answer : null, headers }
}

function textOf({ body }: SentDelivery): string | null {
  return body && Buffer.from(body).toString()
}

function keysOf({ webhookKeys }: Pick<JobServices, 'webhookKeys'>) {
  const keys = webhookKeys.current
  return keys ? { rsa: keys.publicPem, ed25519: keys.timestampKey.standard } : null
}
