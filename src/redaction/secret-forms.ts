/** Shorter ones are looked for as they are only: their other forms are too short to mean anything. */
const SHORTEST_ENCODED_CHARS = 8
const BITS_PER_BYTE = 8
const BITS_PER_LETTER = 6

/** A secret as it is, and as it looks in an address, in JSON, in hex and in base64, wherever in a longer text it stands. */
export function secretForms(secret: string): string[] {
  if (secret.length < SHORTEST_ENCODED_CHARS) return [secret]
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const inAddress = [encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)]
  const plain = [secret, JSON.stringify(secret).slice(1, -1), ...inAddress, hex, hex.toUpperCase()]
  return [...new Set([...plain, ...[0, 1, 2].flatMap((before) => lettersOf(bytes, before))])]
}

/** The letters of base64 that are the secret's alone when so many bytes stand before it. */
function lettersOf(bytes: Buffer, before: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(before), bytes])
  const start = Math.ceil((before * BITS_PER_BYTE) / BITS_PER_LETTER)
  const end = Math.floor((padded.length * BITS_PER_BYTE) / BITS_PER_LETTER)
  return [padded.toString('base64').slice(start, end), padded.toString('base64url').slice(start, end)]
}
