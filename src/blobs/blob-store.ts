/** Enough of a file's beginning to judge what it is. */
export const HEAD_BYTES = 64 * 1024

/** Where files live. An id is a lower-case UUID and nothing else, so no name of a caller's ever becomes a path. */
export type BlobStore = {
  /** Streams to storage; resolves when the bytes are durable. A failed or aborted write leaves nothing behind. */
  write(id: string, bytes: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<WrittenBlob>
  /**
   * Undefined when there is no such file. Bytes that lie past its end are left out, whatever was asked for. Who asks
   * also reads: bytes that nobody takes may hold a connection open. Connections are shared between owners.
   */
  read(id: string, range?: ByteRange, owner?: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** False when there was no such file. */
  delete(id: string): Promise<boolean>
  /** An address from which anyone may fetch the file for so many seconds. Files on the disk have none. */
  signedUrl?(id: string, seconds: number): string
}

/** Without an owner the file is the gateway's own. */
export type WriteOptions = { maxBytes: number; owner?: string }

/** `head` is the beginning of the file, at most `HEAD_BYTES` of it. */
export type WrittenBlob = { size: number; sha256: string; head: Uint8Array }

/** Both ends are included, counted from 0, as in HTTP. */
export type ByteRange = { start: number; end: number }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isBlobId(id: string): boolean {
  return UUID.test(id)
}

/** For writing: the gateway makes its ids itself, so a wrong one is a mistake of ours and not of a caller. */
export function requireBlobId(id: string): void {
  if (!isBlobId(id)) throw new TypeError('the id of a blob has to be a lower-case UUID')
}

export function requireRange({ start, end }: ByteRange): void {
  const valid = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start
  if (!valid) throw new RangeError('a range of bytes goes from a whole number to one that is not smaller')
}
