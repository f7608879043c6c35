import { ByteQueue } from './byte-queue.ts'

/** Pieces of at least this size are passed on unchanged. */
const LARGE_BYTES = 16 * 1024
const BLOCK_BYTES = 64 * 1024

/**
 * The same bytes in larger pieces, for work that costs as much for a byte as for a block, such as writing to a disk or
 * reading JSON. Do not use it for data that must be passed on at once. The sender may reuse a piece as soon as the next one
 * is requested.
 */
export async function* inBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffered = new ByteQueue()
  for await (const chunk of bytes) {
    const isLarge = chunk.length >= LARGE_BYTES
    if (!isLarge) buffered.push(chunk, true)
    if (isLarge || buffered.length >= BLOCK_BYTES) yield* buffered.takePieces()
    if (isLarge) yield chunk
  }
  yield* buffered.takePieces()
}
