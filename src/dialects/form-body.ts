import { createHash } from 'node:crypto'
import type { WireSource } from '../wire/wire.ts'

/** `source` stands in the place of bytes that are too many for memory. */
export type FormFile = { bytes: Uint8Array; mediaType: string; name: string; source?: FileSource }
/** `mark` is a word that nobody can know before: where there is no room for bytes, it stands for them, or for their base64. */
export type FileSource = WireSource & { mark: string }
export type FormPart = readonly [name: string, value: string | FormFile]

/** Long enough that no file holds it by chance. */
const DIGEST_CHARS = 40

/**
 * `multipart/form-data`. The boundary is made of the content: the same for the same, and nobody can know it before and
 * end a part of theirs with it.
 */
export function formBody(parts: readonly FormPart[]): FormBody {
  const boundary = boundaryOf(parts)
  const contentType = `multipart/form-data; boundary=${boundary}`
  const pieces = parts.flatMap(([name, value]) => [headOf(boundary, name, value), contentOf(value), LINE_END])
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  if (pieces.every((piece) => piece instanceof Uint8Array)) return { contentType, body: Buffer.concat(pieces) }
  return { contentType, body: null, source: joined(pieces) }
}

export type FormBody = { contentType: string; body: Uint8Array | null; source?: WireSource }
type Piece = Uint8Array | FileSource

export function joined(pieces: readonly (Uint8Array | WireSource)[]): WireSource {
  return { length: pieces.reduce((sum, { length }) => sum + length, 0), read }

  async function* read() {
    for (const piece of pieces)
      if (piece instanceof Uint8Array) yield piece
      else yield* piece.read()
  }
}

/** Fields of a JSON object as parts: what is no text travels as JSON. */
export function partsOf(fields: Readonly<Record<string, unknown>>): FormPart[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

const LINE_END = Buffer.from('\r\n')

function boundaryOf(parts: readonly FormPart[]): string {
  const hash = createHash('sha256')
  for (const [name, value] of parts) {
    const content = contentOf(value)
    hash.update(`${name.length} ${content.length} ${name}`)
    hash.update(content instanceof Uint8Array ? content : content.mark)
  }
  return `gatehouse-${hash.digest('hex').slice(0, DIGEST_CHARS)}`
}

function headOf(boundary: string, name: string, value: string | FormFile): Uint8Array {
  return Buffer.from(headText(boundary, name, value))
}

function headText(boundary: string, name: string, value: string | FormFile): string {
  const disposition = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"`
  if (typeof value === 'string') return `${disposition}\r\n\r\n`
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(value.mediaType) ? value.mediaType : 'application/octet-stream'
  return `${disposition}; filename="${quoted(value.name)}"\r\ncontent-type: ${type}\r\n\r\n`
}

/** As browsers do it: nothing in a name may end it. */
function quoted(name: string): string {
  return name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function contentOf(value: string | FormFile): Piece {
  return typeof value === 'string' ? Buffer.from(value.toWellFormed()) : (value.source ?? value.bytes)
}
