import { join } from 'node:path'
import type { Send } from '../../translation/wire/wire.ts'
import type { BlobStore } from './blob-store.ts'
import { openDisk } from './disk.ts'
import { openS3 } from './s3.ts'
import { parseBlobUrl } from './s3-location.ts'
import type { S3Credentials } from './s3-client.ts'

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
  return openS3({ location, credentials, send, uploadBuffer: join(dataDir, 'upload-buffer') })
}
