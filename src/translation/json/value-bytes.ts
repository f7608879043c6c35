// The approximate memory that stored pieces of a stream take, as measured on V8.

const OBJECT_BYTES = 56
const SCALAR_BYTES = 8
/** A string that is built piece by piece has a node for each piece. */
const PIECE_BYTES = 64
const CHAR_BYTES = 4

/**
 * The memory of a piece that is appended to a string. When the string is finally flattened, it exists twice, with up to two
 * bytes per character.
 */
export function pieceBytes(text: string): number {
  return PIECE_BYTES + CHAR_BYTES * text.length
}

/** The memory of a parsed JSON value. There is no recursion, because a provider may nest as deeply as it likes. */
export function valueBytes(parsed: unknown): number {
  const pending: unknown[] = [parsed]
  let bytes = 0
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== 'object' || value === null) {
      bytes += SCALAR_BYTES + (typeof value === 'string' ? value.length : 0)
      continue
    }
    bytes += OBJECT_BYTES
    for (const [name, inner] of Object.entries(value)) {
      bytes += name.length
      pending.push(inner)
    }
  }
  return bytes
}
