import { isResourceId } from '../../base/schema/resource-id.ts'
import { problem } from '../../contract/problems.ts'
import {
  type BatchDoor,
  type BatchQuery,
  cancelBatch,
  deleteBatch,
  findBatch,
  listBatches,
  type StoredBatch,
} from '../../platform/store/batches/batches.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { JobServices } from '../job-services.ts'
import { batchIdIn } from './batch-ids.ts'

type Reading = Pick<JobServices, 'db'>

/** Another owner's batch is as unknown as one that never was, and so is one of another door. */
export async function getBatch(name: string, door: BatchDoor, caller: Caller, { db }: Reading): Promise<StoredBatch> {
  const id = batchIdIn(name, door)
  const batch = isResourceId(id) ? await findBatch(db, { owner: caller.owner, door, id }) : undefined
  if (!batch) throw problem('not_found', { message: 'There is no such batch.' })
  return batch
}

/** A page of batches behind one of them, or from the first. */
export async function pageOfBatches(
  query: Omit<BatchQuery, 'owner'> & { after?: string | undefined },
  caller: Caller,
  services: Reading,
): Promise<{ batches: StoredBatch[]; hasMore: boolean }> {
  const { after, ...rest } = query
  const last = after === undefined ? undefined : await getBatch(after, query.door, caller, services)
  const found = await listBatches(services.db, { ...rest, owner: caller.owner, limit: query.limit + 1 }, last)
  return { batches: found.slice(0, query.limit), hasMore: found.length > query.limit }
}

/** Asks for the end of a batch. Requests that were sent are waited for, and have their answers. */
export async function cancelOwnBatch(
  name: string,
  door: BatchDoor,
  caller: Caller,
  { db, background }: Pick<JobServices, 'db' | 'background'>,
): Promise<StoredBatch> {
  const batch = await getBatch(name, door, caller, { db })
  if (batch.endedAt !== null)
    throw problem('conflict', { message: `This batch has ended: it is ${batch.state}, and cannot be cancelled.` })
  if (await cancelBatch(db, caller.owner, batch.id)) background.current?.wakeBatches(batch.id)
  return await getBatch(name, door, caller, { db })
}

/** Forgets a batch that has ended. Its files stay until they expire or are deleted. */
export async function deleteOwnBatch(
  name: string,
  door: BatchDoor,
  caller: Caller,
  { db }: Reading,
): Promise<StoredBatch> {
  const batch = await getBatch(name, door, caller, { db })
  if (!(await deleteBatch(db, caller.owner, batch.id)))
    throw problem('conflict', { message: 'This batch has not ended. Cancel it first.' })
  return batch
}
