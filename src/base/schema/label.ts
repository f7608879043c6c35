import { hash } from 'node:crypto'

// The names of end users and tags that callers send, as they are stored. A search for one of them has to use the same text.

export const MAX_LABEL_BYTES = 256
/** Of a label that is too long. The rest is for the digest. */
const BEGINNING_BYTES = 220
/** No character takes more than three bytes for each of its UTF-16 units. */
const SURELY_SHORT = Math.floor(MAX_LABEL_BYTES / 3)
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get into logs and tables.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g

/** A long label keeps its beginning and a digest of the whole, so that two long labels stay two. A label of a label is itself. */
export function labelOf(name: string): string {
  const text = withoutControls(name)
  if (text.length <= SURELY_SHORT || Buffer.byteLength(text) <= MAX_LABEL_BYTES) return text
  return `${beginningOf(text)}~${hash('sha256', text).slice(0, 32)}`
}

export function withoutControls(text: string): string {
  return text.toWellFormed().replace(CONTROLS, '\uFFFD')
}

/** Whole characters only. */
function beginningOf(text: string): string {
  const bytes = new Uint8Array(BEGINNING_BYTES)
  const { written } = new TextEncoder().encodeInto(text, bytes)
  return Buffer.from(bytes.subarray(0, written)).toString('utf8')
}
