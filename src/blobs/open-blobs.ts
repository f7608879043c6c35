import { join } from 'node:path'
import type { Send } from '../wire/wire.ts'
import type { BlobStore } from './blob-store.ts'
import { openDisk } from './disk.ts'
import { openS3 } from './s3.ts'
import { sweepPartialFiles } from './partial-files.ts'
import { parseBlobUrl } from './s3-location.ts'
import type { S3Credentials } from './s3-client.ts'

/** The name of the upload buffer in earlier versions. What a dead process left there is removed. */
const FORMER_BUFFER = 'spool'

type BlobSettings = {
  dataDir: string
  /** `s3://…`. Without it, files are on disk. */
  blobUrl?: string | undefined
  credentials?: S3Credentials | undefined
  send: Send
}

export async function openBlobs({ dataDir, blobUrl, credentials, send }: BlobSettings): Promise<BlobStore> {
  if (blobUrl === undefined) return openDisk(dataDir)
  const location = parseBlobUrl(blobUrl)
  if (!credentials)
    throw new Error('BLOB_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or an identity (docs/credentials.md).')
  await sweepPartialFiles(join(dataDir, FORMER_BUFFER)).catch(ignoreMissing)
  return openS3({ location, credentials, send, uploadBuffer: join(dataDir, 'upload-buffer') })
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
