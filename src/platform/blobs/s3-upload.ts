import { problem } from '../../contract/problems.ts'
import type { S3Client } from './s3-client.ts'
import { storageProblem } from './storage-problem.ts'
import { MB } from '../../base/units/units.ts'

/** Amazon requires at least 5 MB. Larger parts need more memory, because a part is held until it has arrived. */
export const PART_BYTES = 8 * MB
/** Amazon's limit. */
const MAX_PARTS = 10_000

/**
 * Uploads one file. Memory holds one part, which is filled, sent and filled again. A file that fits into one part is sent
 * in a single call. From the second part on it is a multipart upload, which appears as a whole at its end.
 */
export class S3Upload {
  readonly #client: S3Client
  readonly #id: string
  readonly #part: Buffer
  readonly #etags: string[] = []
  #filled = 0
  #uploadId: string | undefined
  /** From here on, the file may exist even if the call fails. */
  #finishing = false

  constructor(client: S3Client, id: string, partBytes: number) {
    this.#client = client
    this.#id = id
    // Memory that was never written to costs nothing, so a small file does not pay for a whole part.
    this.#part = Buffer.allocUnsafeSlow(partBytes)
  }

  async add(chunk: Uint8Array): Promise<void> {
    for (let rest = chunk; rest.length > 0; ) {
      if (this.#filled === this.#part.length) await this.#sendPart()
      const piece = rest.subarray(0, this.#part.length - this.#filled)
      this.#part.set(piece, this.#filled)
      this.#filled += piece.length
      rest = rest.subarray(piece.length)
    }
  }

  async finish(): Promise<void> {
    if (this.#uploadId !== undefined) await this.#sendPart()
    this.#finishing = true
    if (this.#uploadId === undefined)
      await this.#client.call({ method: 'PUT', id: this.#id, body: this.#content() }, 200)
    else await this.#complete(this.#uploadId)
  }

  /** Removes what was uploaded, as far as the storage still answers. */
  async abandon(): Promise<void> {
    const id = this.#id
    const steps = [
      this.#uploadId !== undefined &&
        this.#client.call({ method: 'DELETE', id, query: { uploadId: this.#uploadId } }, 204, 404),
      this.#finishing && this.#client.call({ method: 'DELETE', id }, 204, 404),
    ]
    await Promise.allSettled(steps)
  }

  async #sendPart(): Promise<void> {
    if (this.#etags.length === MAX_PARTS) throw problem('too_large')
    this.#uploadId ??= await this.#begin()
    const query = { partNumber: this.#etags.length + 1, uploadId: this.#uploadId }
    const { etag } = await this.#client.call({ method: 'PUT', id: this.#id, query, body: this.#content() }, 200)
    if (!etag) throw unexpected()
    this.#etags.push(etag)
    this.#filled = 0
  }

  async #begin(): Promise<string> {
    const { text } = await this.#client.call({ method: 'POST', id: this.#id, query: { uploads: '' } }, 200)
    const uploadId = /<UploadId>([^<&]+)<\/UploadId>/.exec(text)?.[1]
    if (!uploadId) throw unexpected()
    return uploadId
  }

  async #complete(uploadId: string): Promise<void> {
    const parts = this.#etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    await this.#client.call({ method: 'POST', id: this.#id, query: { uploadId }, body }, 200)
  }

  #content(): Buffer {
    return this.#part.subarray(0, this.#filled)
  }
}

function unexpected() {
  return storageProblem('The file storage of this gateway gave an invalid answer.')
}
