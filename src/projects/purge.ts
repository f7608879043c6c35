import type { FileContext } from '../files/files.ts'
import { contentsOf, deleteContentRows } from '../store/contents/contents.ts'
import type { Database } from '../store/database.ts'
import { notePurged, projectsToPurge } from '../store/projects/delete-project.ts'
import { deleteFileRows, deleteSome, nextFiles, type Purge } from '../store/projects/purge-content.ts'
import { HOUR_MS } from '../units/units.ts'

const BATCH = 100
/** One call removes at most this many batches, so that nobody waits long; the next round goes on. */
const MAX_BATCHES = 50
const PROJECTS_AT_ONCE = 20
/** The longest call or job is over by then. */
const SETTLED_AFTER_MS = HOUR_MS

export type PurgeContext = { db: Database; files: Pick<FileContext, 'blobs'> }

export type Purged = { files: number; contents: number; others: number; isComplete: boolean }

/** Removes content until nothing is left, or the limit is reached. */
export async function purge(what: Purge, { db, files: { blobs } }: PurgeContext): Promise<Purged> {
  const purged = { files: 0, contents: 0, others: 0, isComplete: false }
  for (let batch = 0; batch < MAX_BATCHES && !purged.isComplete; batch++) {
    const ids = await nextFiles(db, what, BATCH)
    await Promise.all(ids.map((id) => blobs.delete(id)))
    if (ids.length > 0) await deleteFileRows(db, ids)
    const contents = await contentsOf(db, what, BATCH)
    await Promise.all(contents.map((id) => blobs.delete(id)))
    await deleteContentRows(db, contents)
    const others = await deleteSome(db, what, BATCH)
    purged.files += ids.length
    purged.contents += contents.length
    purged.others += others
    purged.isComplete = ids.length === 0 && contents.length === 0 && others === 0
  }
  return purged
}

/** Goes on with projects that were deleted, and looks again for what calls stored that were running then. */
export async function purgeDeleted(context: PurgeContext): Promise<void> {
  for (const { id } of await projectsToPurge(context.db, PROJECTS_AT_ONCE)) {
    const { isComplete } = await purge({ project: id }, context)
    if (isComplete) await notePurged(context.db, id, SETTLED_AFTER_MS)
  }
}
