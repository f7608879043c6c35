// What it takes to keep something of a stream, roughly, as measured on V8.

const OBJECT_BYTES = 56
const SCALAR_BYTES = 8
/** A text that grows piece by piece has a node for each. */
const PIECE_BYTES = 64
const CHAR_BYTES = 4

/** Of a piece that a text grows by. Joined in the end it is there twice, in up to two bytes per character. */
export function pieceBytes(text: string): number {
  return PIECE_BYTES + CHAR_BYTES * text.length
}

/** Of parsed JSON with all that it holds. Without recursion: a provider may nest as deep as it likes. */
export function valueBytes(parsed: unknown): number {
  const left: unknown[] = [parsed]
  let bytes = 0
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value !== 'object' || value === null) {
      bytes += SCALAR_BYTES + (typeof value === 'string' ? value.length : 0)
      continue
    }
    bytes += OBJECT_BYTES
    for (const [name, inner] of Object.entries(value)) {
      bytes += name.length
      left.push(inner)
    }
  }
  return bytes
}
