import { maskUrls } from '../../base/redaction/mask-urls.ts'
import type { BatchRecord, WatchedBatch, WatchedBatchList } from '../../contract/admin/batches.ts'
import { problem } from '../../contract/problems.ts'
import { namesInReport } from '../../money/billing/names-in-reports.ts'
import { cancelBatch, type StoredBatch } from '../../platform/store/batches/batches.ts'
import { listProviderBatches } from '../../platform/store/batches/provider-batches.ts'
import { type BatchFilter, listAllBatches } from '../../platform/store/batches/watched-batches.ts'
import type { Database } from '../../platform/store/database.ts'
import { audited } from '../../tenants/audit/audited.ts'
import { reachIn } from '../../tenants/people/may.ts'
import { isoOf } from '../../tenants/people/people-services.ts'
import type { Permission } from '../../tenants/people/roles.ts'
import { batchName } from '../batches/batch-ids.ts'
import type { BatchRequest } from '../batches/batch-request.ts'
import type { JobServices } from '../job-services.ts'
import type { Page, Watcher } from './watch-jobs.ts'

// What operators see of batches, and their end. The requests of a batch are calls of the ledger.

export async function watchBatches(
  page: Page & Omit<BatchFilter, 'reach'>,
  { db, actor }: Watcher,
): Promise<WatchedBatchList> {
  const { items, nextCursor } = await listAllBatches(db, { ...page, reach: await reachIn(actor, 'jobs.read', db) })
  return { items: await batchesShown(items, db), next_cursor: nextCursor }
}

export async function showBatch(id: string, services: Watcher): Promise<BatchRecord> {
  const { db } = services
  const batch = await visibleBatch(id, 'jobs.read', services)
  const parts = await listProviderBatches(db, id)
  const mayCancel = isCancellable(batch) && (await findVisible(id, 'jobs.write', services)) !== undefined
  return {
    ...(await batchesShown([batch], db))[0]!,
    input_file_id: batch.inputFile,
    webhook: batch.webhookUrl && maskUrls(batch.webhookUrl),
    errors: batch.problems,
    at_providers: parts.map(({ providerId, provider, model, state, lines, createdAt }) => ({
      id: providerId,
      provider,
      model,
      state,
      requests: lines,
      created_at: isoOf(createdAt),
    })),
    can_cancel: mayCancel,
  }
}

/** Requests that were sent are waited for, and have their answers. */
export async function cancelWatched(id: string, services: Watcher & Pick<JobServices, 'background'>): Promise<void> {
  const { db, author, background } = services
  const { owner } = await visibleBatch(id, 'jobs.write', services)
  const event = { action: 'batch.cancel', object: `batch:${id}` }
  if (!(await cancelBatch(audited(db, author, event), owner, id)))
    throw problem('conflict', { message: 'This batch has ended, or is about to end.' })
  background.current?.wakeBatches(id)
}

/** A batch that the actor may not see is answered as if it did not exist. */
async function visibleBatch(id: string, permission: Permission, watcher: Watcher): Promise<StoredBatch> {
  const batch = await findVisible(id, permission, watcher)
  if (!batch) throw problem('not_found', { message: 'There is no such batch.' })
  return batch
}

async function findVisible(id: string, permission: Permission, { db, actor }: Watcher) {
  const { items } = await listAllBatches(db, { limit: 1, id, reach: await reachIn(actor, permission, db) })
  return items[0]
}

function isCancellable({ state }: StoredBatch): boolean {
  return state === 'validating' || state === 'in_progress'
}

async function batchesShown(batches: readonly StoredBatch[], db: Database): Promise<WatchedBatch[]> {
  const ids = batches.map(({ keyId }) => keyId)
  const nameOf = await namesInReport(db, 'key', ids)
  return batches.map((batch) => batchShown(batch, nameOf(batch.keyId)))
}

function batchShown(batch: StoredBatch, key_name: string | null): WatchedBatch {
  const { id, door: api, ownerId: owner, project, keyId: key_id, endpoint, state: status, pausedReason } = batch
  const { total, succeeded, errored, cancelled, expired } = batch
  const { execution } = JSON.parse(batch.request) as BatchRequest
  return {
    id,
    name: batchName(batch),
    api,
    owner,
    project,
    key_id,
    key_name,
    endpoint,
    execution,
    status,
    paused_reason: pausedReason,
    resumes_at: pausedReason === null ? null : isoOf(batch.resumesAt),
    total,
    succeeded,
    errored,
    cancelled,
    expired,
    created_at: isoOf(batch.createdAt),
    started_at: isoOf(batch.inProgressAt),
    expires_at: isoOf(batch.expiresAt),
    ended_at: isoOf(batch.endedAt),
  }
}
