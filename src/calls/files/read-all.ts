import { ByteQueue } from '../../base/bytes/byte-queue.ts'

/** All bytes of a stream whose size is bounded by its source. */
export async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const buffered = new ByteQueue()
  for await (const chunk of chunks) buffered.push(chunk)
  return buffered.takeAll()
}
