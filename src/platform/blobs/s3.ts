import { throughGenerator } from '../../base/bytes/through-generator.ts'
import { GATEWAY_OWNER } from '../../translation/wire/wire.ts'
import { capacityFor, FairSemaphore } from '../../base/fairness/fair-semaphore.ts'
import { BlobMeter } from './blob-meter.ts'
import {
  type BlobStore,
  type ByteRange,
  requireBlobId,
  requireRange,
  type WriteOptions,
  type WrittenBlob,
} from './blob-store.ts'
import { readShort, reachable, refusal, S3Client, type S3Settings, unreachable } from './s3-client.ts'
import { PART_BYTES, S3Upload } from './s3-upload.ts'
import { UploadBuffer, type BufferedFile } from './upload-buffer.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'
import { DAY_SECONDS } from '../../base/units/units.ts'

/** Amazon's limit: a week. */
const MAX_SIGNED_SECONDS = 7 * DAY_SECONDS
const FIRST_BYTE: ByteRange = { start: 0, end: 0 }
const PAST_THE_END = 416

/** Stores files in a bucket of Amazon S3 or of any service that speaks its protocol. */
export function openS3(settings: S3Settings & { uploadBuffer: string }, partBytes = PART_BYTES): BlobStore {
  return new S3Store(new S3Client(settings), new UploadBuffer(settings.uploadBuffer), partBytes)
}

/**
 * How many uploads of one owner run at once. Each holds a part in memory. The whole file has arrived by then, so a slow
 * sender does not occupy a place.
 */
const SENDING_AT_ONCE = 8
/** An upload waits only for other uploads of its owner, each of a large file at most. Its client may have left. */
const WAIT_MS = 120_000

class S3Store implements BlobStore {
  readonly #client: S3Client
  readonly #uploadBuffer: UploadBuffer
  readonly #partBytes: number
  readonly #sending = new FairSemaphore({ capacity: capacityFor(SENDING_AT_ONCE) })

  constructor(client: S3Client, uploadBuffer: UploadBuffer, partBytes: number) {
    this.#client = client
    this.#uploadBuffer = uploadBuffer
    this.#partBytes = partBytes
  }

  async write(id: string, bytes: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<WrittenBlob> {
    requireBlobId(id)
    const { maxBytes, owner = GATEWAY_OWNER } = options
    const meter = new BlobMeter(maxBytes)
    const file = await this.#uploadBuffer.fill(bytes, meter)
    try {
      await this.#upload(id, file, owner)
      return meter.result()
    } finally {
      await file.remove()
    }
  }

  async #upload(id: string, file: BufferedFile, owner: string): Promise<void> {
    await this.#sending.acquireWithin(WAIT_MS, owner)
    const upload = new S3Upload(this.#client, id, this.#partBytes)
    try {
      for await (const chunk of file.read()) await upload.add(chunk)
      await upload.finish()
    } catch (error) {
      await upload.abandon()
      throw error
    } finally {
      this.#sending.release(owner)
    }
  }

  async read(id: string, range?: ByteRange, owner = GATEWAY_OWNER): Promise<AsyncIterable<Uint8Array> | undefined> {
    if (!isResourceId(id)) return undefined
    if (range) requireRange(range)
    const { status, body } = await this.#client.open({ method: 'GET', id, range, owner })
    if (status === (range ? 206 : 200)) return throughGenerator(body, passOn)
    const text = await reachable(() => readShort(body))
    if (status === PAST_THE_END) return passOn([])
    if (status === 404 && !/<Code>NoSuchBucket<\/Code>/.test(text)) return undefined
    throw refusal(status, text)
  }

  /** The storage answers in the same way whether or not there was a file to delete, so existence is checked first. */
  async delete(id: string): Promise<boolean> {
    if (!isResourceId(id)) return false
    const found = await this.read(id, FIRST_BYTE)
    if (!found) return false
    for await (const _ of found);
    await this.#client.call({ method: 'DELETE', id }, 200, 204, 404)
    return true
  }

  signedUrl(id: string, seconds: number): Promise<string> {
    requireBlobId(id)
    return this.#client.signedUrl(id, Math.min(seconds, MAX_SIGNED_SECONDS))
  }
}

/** A connection that breaks in the middle of a file is a failure of our storage, not of the provider. */
async function* passOn(body: AsyncIterable<Uint8Array> | Uint8Array[]): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw unreachable(error)
  }
}
