import { isResourceId } from '../../base/schema/resource-id.ts'

/** Storage for files. An id is always a lower-case UUID, so no caller's name ever becomes a path. */
export type BlobStore = {
  /** Streams to storage, and resolves when the bytes are durable. A failed or aborted write leaves nothing behind. */
  write(id: string, bytes: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<WrittenBlob>
  /**
   * Returns undefined if there is no such file. A range is cut off at the end of the file. The caller has to read the
   * result: unread bytes may hold a connection open. Connections are shared between owners.
   */
  read(id: string, range?: ByteRange, owner?: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Returns false if there was no such file. */
  delete(id: string): Promise<boolean>
  /** A URL from which anyone may fetch the file for this many seconds. Files on disk have none. */
  signedUrl?(id: string, seconds: number): Promise<string>
}

/** Without an owner, the file belongs to the gateway itself. */
export type WriteOptions = { maxBytes: number; owner?: string }

/** `head` is the beginning of the file, at most `HEAD_BYTES` of it. */
export type WrittenBlob = { size: number; sha256: string; head: Uint8Array }

/** Both ends are inclusive and counted from 0, as in HTTP. */
export type ByteRange = { start: number; end: number }

/** For writes: the gateway creates its ids itself, so a wrong id is a bug and not a mistake of a caller. */
export function requireBlobId(id: string): void {
  if (!isResourceId(id)) throw new TypeError('the id of a blob has to be a lower-case UUID')
}

export function requireRange({ start, end }: ByteRange): void {
  const valid = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start
  if (!valid) throw new RangeError('a byte range needs a start and an end that is not smaller')
}
