import { createHash } from 'node:crypto'

export type FormFile = { bytes: Uint8Array; mediaType: string; name: string }
export type FormPart = readonly [name: string, value: string | FormFile]

/** Long enough that no file holds it by chance. */
const DIGEST_CHARS = 40

/**
 * `multipart/form-data`. The boundary is made of the content: the same for the same, and nobody can know it before and
 * end a part of theirs with it.
 */
export function formBody(parts: readonly FormPart[]): { contentType: string; body: Uint8Array } {
  const boundary = boundaryOf(parts)
  const pieces = parts.flatMap(([name, value]) => [
    Buffer.from(headOf(boundary, name, value)),
    contentOf(value),
    LINE_END,
  ])
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
  return { contentType: `multipart/form-data; boundary=${boundary}`, body }
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
    hash.update(`${name.length} ${content.length} ${name}`).update(content)
  }
  return `gatehouse-${hash.digest('hex').slice(0, DIGEST_CHARS)}`
}

function headOf(boundary: string, name: string, value: string | FormFile): string {
  const disposition = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"`
  if (typeof value === 'string') return `${disposition}\r\n\r\n`
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(value.mediaType) ? value.mediaType : 'application/octet-stream'
  return `${disposition}; filename="${quoted(value.name)}"\r\ncontent-type: ${type}\r\n\r\n`
}

/** As browsers do it: nothing in a name may end it. */
function quoted(name: string): string {
  return name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function contentOf(value: string | FormFile): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value.toWellFormed()) : value.bytes
}
