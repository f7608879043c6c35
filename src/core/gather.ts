import { ByteQueue } from '../bytes/byte-queue.ts'

/** All bytes of a stream whose size is bounded by its source. */
export async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const gathered = new ByteQueue()
  for await (const chunk of chunks) gathered.push(chunk)
  return gathered.takeAll()
}
