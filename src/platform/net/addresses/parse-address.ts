import { isIPv4, isIPv6 } from 'node:net'

/**
 * Parses an address into its 4 or 16 bytes. It accepts only the plain forms: the URL parser handles the short, octal and
 * hexadecimal ones, and a zone id names a network interface of this machine, which a caller must not choose.
 */
export function parseAddress(text: string): Uint8Array | undefined {
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number)
  if (isIPv6(text) && !text.includes('%')) return parseIPv6(text)
}

function parseIPv6(text: string): Uint8Array {
  const [head, tail] = text.split('::').map(wordsOf) as [number[], number[] | undefined]
  const last = tail ?? []
  const gap = new Array<number>(8 - head.length - last.length).fill(0)
  return Uint8Array.from([...head, ...gap, ...last].flatMap((word) => [word >> 8, word & 0xff]))
}

function wordsOf(part: string): number[] {
  return part === '' ? [] : part.split(':').flatMap((group) => (isIPv4(group) ? pairsOf(group) : [parseInt(group, 16)]))
}

/** The dotted tail of `::ffff:127.0.0.1`. */
function pairsOf(dotted: string): number[] {
  const [a, b, c, d] = dotted.split('.').map(Number) as [number, number, number, number]
  return [a * 256 + b, c * 256 + d]
}
