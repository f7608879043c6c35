import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { deleteContentRows, expiredContents } from '../../platform/store/contents/contents.ts'
import type { Database } from '../../platform/store/database.ts'

const BATCH = 100
const MAX_BATCHES = 50

/** Deletes content whose time is over. Bytes go before their rows, so a process that is killed leaves none behind. */
export async function sweepContents({ db, blobs }: { db: Database; blobs: BlobStore }): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const ids = await expiredContents(db, BATCH)
    if (ids.length === 0) return
    await Promise.all(ids.map((id) => blobs.delete(id)))
    await deleteContentRows(db, ids)
  }
}
