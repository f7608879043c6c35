import { ByteQueue } from './byte-queue.ts'

/** What is as large as this is handed on as it came. */
const LARGE_BYTES = 16 * 1024
const BLOCK_BYTES = 64 * 1024

/**
 * The same bytes in larger pieces, for work that costs the same for a byte as for a block: writing to a disk, reading JSON.
 * Not for what has to go on at once. A piece may be used again by its sender when the next one is asked for.
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
