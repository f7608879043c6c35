import type { Logger } from 'pino'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { Database } from '../../platform/store/database.ts'
import { listFileIds } from '../../platform/store/files.ts'
import { findSetting, writeSetting } from '../../platform/store/installation/settings.ts'

/** The setting with the place where blobs were kept last. */
const PLACE_SETTING = 'blob-place'
const PAGE = 500

type Check = { db: Database; blobs: BlobStore; location: string; log: Pick<Logger, 'warn'> }

/**
 * If blobs are now kept elsewhere than before, warns how many of the stored files are missing there. A bucket is not
 * searched, because every look would be a paid request.
 */
export async function warnOfMissingBlobs({ db, blobs, location, log }: Check, signal: AbortSignal): Promise<void> {
  if ((await findSetting(db, PLACE_SETTING)) === location) return
  const isFolder = location.startsWith('folder:')
  let [stored, missing, after] = [0, 0, '']
  for (;;) {
    const ids = await listFileIds(db, after, PAGE)
    if (isFolder) for (const id of ids) if (!(await blobs.read(id))) missing++
    stored += ids.length
    after = ids.at(-1) ?? ''
    if (signal.aborted) return
    if (ids.length < PAGE) break
  }
  await writeSetting(db, PLACE_SETTING, location)
  if (isFolder && missing > 0) log.warn({ missing, stored }, MISSING)
  if (!isFolder && stored > 0) log.warn({ stored }, MOVED)
}

const MISSING =
  'stored files are missing in DATA_DIR/blobs: they were stored in another folder; copy them from there, or set BLOB_URL'
const MOVED = 'files may be missing in the bucket of BLOB_URL: they were stored elsewhere; copy them from there'
