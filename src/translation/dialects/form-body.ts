import { createHash } from 'node:crypto'
import type { WireSource } from '../wire/wire.ts'
import { writeMember } from '../json/written-numbers.ts'

/** `source` replaces bytes that are too large for memory. */
type FormFile = { bytes: Uint8Array; mediaType: string; name: string; source?: FileSource }
/** `mark` is an unpredictable word that stands for the bytes, or for their base64, if they are not in memory. */
export type FileSource = WireSource & { mark: string }
export type FormPart = readonly [name: string, value: string | FormFile]

/** Long enough that no file contains it by accident. */
const DIGEST_CHARS = 40

/**
 * `multipart/form-data`. The boundary is derived from the content, so it is stable, and a part cannot contain it and end early.
 */
export function formBody(parts: readonly FormPart[]): FormBody {
  const boundary = boundaryOf(parts)
  const contentType = `multipart/form-data; boundary=${boundary}`
  const pieces = parts.flatMap(([name, value]) => [headOf(boundary, name, value), contentOf(value), LINE_END])
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  if (pieces.every((piece) => piece instanceof Uint8Array)) return { contentType, body: Buffer.concat(pieces) }
  return { contentType, body: null, source: joined(pieces) }
}

type FormBody = { contentType: string; body: Uint8Array | null; source?: WireSource }
type Piece = Uint8Array | FileSource

export function joined(pieces: readonly (Uint8Array | WireSource)[]): WireSource {
  return { length: pieces.reduce((sum, { length }) => sum + length, 0), read }

  async function* read() {
    for (const piece of pieces)
      if (piece instanceof Uint8Array) yield piece
      else yield* piece.read()
  }
}

/** The fields of a JSON object as parts: values other than strings are sent as JSON. */
export function partsOf(fields: Readonly<Record<string, unknown>>): FormPart[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, typeof value === 'string' ? value : writeMember(fields, name)])
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

/** Escapes like browsers do: no character in a name may end it. */
function quoted(name: string): string {
  return name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function contentOf(value: string | FormFile): Piece {
  return typeof value === 'string' ? Buffer.from(value.toWellFormed()) : (value.source ?? value.bytes)
}
