import { isUtf8 } from 'node:buffer'
import { tryParse } from '../../json/try-parse.ts'

// An answer with images is megabytes of base64 and a few fields around it. Only the fields become JavaScript values: the
// base64 stays where it is, as a part of the bytes that came.

/** No field of an answer is so long, and no image that is worth the trouble shorter. */
const LONG_BYTES = 256 * 1024
const QUOTE = 0x22
const BACKSLASH = 0x5c
const MARK = 'gatehouse:long:'

export type LeanJson = {
  /** Undefined when it is not JSON. */
  value: unknown
  /** The bytes of a long string by what stands in its place. */
  longs: ReadonlyMap<unknown, Uint8Array>
}

export function parseLean(bytes: Uint8Array): LeanJson {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const longs = new Map<unknown, Uint8Array>()
  const kept: Buffer[] = []
  let from = 0
  for (const [start, end] of longStrings(text)) {
    const mark = `${MARK}${longs.size}`
    longs.set(mark, text.subarray(start, end))
    kept.push(text.subarray(from, start), Buffer.from(mark))
    from = end
  }
  kept.push(text.subarray(from))
  return { value: parse(Buffer.concat(kept)), longs }
}

function parse(text: Buffer): unknown {
  return isUtf8(text) ? tryParse(text.toString('utf8')) : undefined
}

/** Where the long strings begin and end, between their quotes. One with an escape in it is left to the parser. */
function* longStrings(text: Buffer): Generator<[number, number]> {
  for (let open = text.indexOf(QUOTE); open >= 0; ) {
    const close = closingQuote(text, open + 1)
    if (close < 0) return
    if (close - open > LONG_BYTES && !text.subarray(open, close).includes(BACKSLASH)) yield [open + 1, close]
    open = text.indexOf(QUOTE, close + 1)
  }
}

function closingQuote(text: Buffer, from: number): number {
  let close = text.indexOf(QUOTE, from)
  while (close > 0 && isEscaped(text, close, from)) close = text.indexOf(QUOTE, close + 1)
  return close
}

function isEscaped(text: Buffer, quote: number, from: number): boolean {
  let at = quote - 1
  while (at >= from && text[at] === BACKSLASH) at--
  return (quote - at) % 2 === 0
}
