import { join } from 'node:path'
import type { Send } from '../wire/wire.ts'
import type { BlobStore } from './blob-store.ts'
import { openDisk } from './disk.ts'
import { openS3 } from './s3.ts'
import { parseBlobUrl } from './s3-location.ts'
import type { AwsCredentials } from '../net/sigv4.ts'

export type BlobSettings = {
  dataDir: string
  /** `s3://…`. Without it, files are on disk. */
  blobUrl?: string | undefined
  credentials?: AwsCredentials | undefined
  send: Send
}

export async function openBlobs({ dataDir, blobUrl, credentials, send }: BlobSettings): Promise<BlobStore> {
  if (blobUrl === undefined) return openDisk(dataDir)
  const location = parseBlobUrl(blobUrl)
  if (!credentials) throw new Error('BLOB_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  return openS3({ location, credentials, send, uploadBuffer: join(dataDir, 'spool') })
}
