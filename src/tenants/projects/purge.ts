import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { Database } from '../../platform/store/database.ts'
import { notePurged, projectsToPurge } from '../../platform/store/projects/delete-project.ts'
import {
  deleteRows,
  deleteSome,
  hasBatches,
  nextWithBytes,
  type Purge,
  type WithBytes,
} from '../../platform/store/projects/purge-content.ts'
import { HOUR_MS } from '../../base/units/units.ts'

const BATCH = 100
/** One call removes at most this many batches, so that other statements do not wait long; the next round goes on. */
const MAX_BATCHES = 50
const PROJECTS_AT_ONCE = 20
/** The longest call or job is over by then. */
const SETTLED_AFTER_MS = HOUR_MS

export type PurgeServices = { db: Database; files: { blobs: BlobStore } }

export type Purged = { files: number; contents: number; others: number; isComplete: boolean }

/** Removes content until nothing is left but what providers have to answer first, or the limit is reached. */
export async function purge(what: Purge, services: PurgeServices): Promise<Purged> {
  const purged = { files: 0, contents: 0, others: 0, isComplete: false }
  for (let batch = 0; batch < MAX_BATCHES && !purged.isComplete; batch++) {
    const files = await deleteWithBytes('files', what, services)
    const contents = await deleteWithBytes('contents', what, services)
    const others = await deleteSome(services.db, what, BATCH)
    purged.files += files
    purged.contents += contents
    purged.others += others
    purged.isComplete = files === 0 && contents === 0 && others === 0
  }
  if (purged.isComplete && (await hasBatches(services.db, what))) purged.isComplete = false
  return purged
}

async function deleteWithBytes(
  table: WithBytes,
  what: Purge,
  { db, files: { blobs } }: PurgeServices,
): Promise<number> {
  const ids = await nextWithBytes(db, table, what, BATCH)
  await Promise.all(ids.map((id) => blobs.delete(id)))
  await deleteRows(db, table, ids)
  return ids.length
}

/** Goes on with projects and people that were deleted, and looks again for what calls stored that were running then. */
export async function purgeDeleted(services: PurgeServices): Promise<void> {
  await purge('deleted people', services)
  for (const { id } of await projectsToPurge(services.db, PROJECTS_AT_ONCE)) {
    const { isComplete } = await purge({ project: id }, services)
    if (isComplete) await notePurged(services.db, id, SETTLED_AFTER_MS)
  }
}
