/** All bytes of a stream whose size is bounded by its source. */
export async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}
