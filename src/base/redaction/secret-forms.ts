/** Shorter secrets are searched only in their plain form: their other forms are too short to mean anything. */
const SHORTEST_ENCODED_CHARS = 8
const BITS_PER_BYTE = 8
const BITS_PER_LETTER = 6

/** A secret in its plain form, and as it looks in a URL, in JSON, in hex and inside a longer base64 text. */
export function secretForms(secret: string): string[] {
  if (secret.length < SHORTEST_ENCODED_CHARS) return [secret]
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const inAddress = [encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)]
  const plain = [secret, JSON.stringify(secret).slice(1, -1), ...inAddress, hex, hex.toUpperCase()]
  return [...new Set([...plain, ...[0, 1, 2].flatMap((before) => lettersOf(bytes, before))])]
}

/** The base64 characters that depend on the secret alone if this many bytes precede it. */
function lettersOf(bytes: Buffer, before: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(before), bytes])
  const start = Math.ceil((before * BITS_PER_BYTE) / BITS_PER_LETTER)
  const end = Math.floor((padded.length * BITS_PER_BYTE) / BITS_PER_LETTER)
  return [padded.toString('base64').slice(start, end), padded.toString('base64url').slice(start, end)]
}
