import { isUtf8 } from 'node:buffer'
import { WireFailure } from '../contract/wire.ts'

/** A provider's whole answer as text; more than the limit is refused, not gathered. */
export async function readText(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limitBytes) throw new WireFailure('protocol')
    chunks.push(chunk)
  }
  const bytes =
    chunks.length === 1 ? Buffer.from(chunks[0]!.buffer, chunks[0]!.byteOffset, size) : Buffer.concat(chunks, size)
  if (!isUtf8(bytes)) throw new WireFailure('protocol')
  return bytes.toString('utf8')
}
