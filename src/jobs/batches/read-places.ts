import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { MB } from '../../base/units/units.ts'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { OpenLine } from '../../platform/store/batches/batch-lines.ts'

/** Lines that are read together have at most this many bytes, unless one line has more. */
const BYTES_AT_ONCE = MB
/** Between lines that are read together: those that have their answer already. */
const GAP_BYTES = 16 * 1024

/** The input file is not there any more. */
export class InputGone extends Error {}

/** Reads lines of the input file, in its order. Lines that are beside each other are read at once. */
export async function* readPlaces(
  { inputFile, owner }: { inputFile: string; owner: string },
  lines: readonly OpenLine[],
  blobs: BlobStore,
): AsyncGenerator<{ line: OpenLine; bytes: Buffer }> {
  for (let first = 0; first < lines.length; ) {
    const last = lastOfGroup(lines, first)
    const start = lines[first]!.begins
    const end = lines[last]!.begins + lines[last]!.length
    const stream = await blobs.read(inputFile, { start, end: end - 1 }, owner)
    if (!stream) throw new InputGone()
    const bytes = await readAll(stream)
    if (bytes.length < end - start) throw new InputGone()
    for (const line of lines.slice(first, last + 1))
      yield { line, bytes: bytes.subarray(line.begins - start, line.begins - start + line.length) }
    first = last + 1
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces = new ByteQueue()
  for await (const piece of stream) pieces.push(piece, true)
  return pieces.takeAll()
}

function lastOfGroup(lines: readonly OpenLine[], first: number): number {
  const start = lines[first]!.begins
  let last = first
  for (let next = first + 1; next < lines.length; next++) {
    const { begins, length } = lines[next]!
    const gap = begins - lines[last]!.begins - lines[last]!.length
    if (gap > GAP_BYTES || begins + length - start > BYTES_AT_ONCE) break
    last = next
  }
  return last
}
