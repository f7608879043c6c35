import { createHash } from 'node:crypto'

export type FormEntry = { name: string; content: Uint8Array; file?: { name: string; type: string } }

/** A multipart/form-data body (RFC 7578), in one piece. */
export function writeForm(entries: readonly FormEntry[]): { contentType: string; body: Uint8Array } {
  const boundary = boundaryFor(entries)
  const pieces = entries.flatMap((entry) => [Buffer.from(headOf(entry, boundary)), entry.content, LINE_END])
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
  return { contentType: `multipart/form-data; boundary=${boundary}`, body }
}

const LINE_END = Buffer.from('\r\n')

/**
 * Whoever could guess the boundary could end a part of theirs and go on with one of ours, such as the model. A digest of
 * all that is sent cannot be a part of it.
 */
function boundaryFor(entries: readonly FormEntry[]): string {
  const digest = createHash('sha256')
  for (const { name, content } of entries) digest.update(`${name.length} ${content.length} ${name}`).update(content)
  return `gatehouse-${digest.digest('hex').slice(0, 40)}`
}

function headOf({ name, file }: FormEntry, boundary: string): string {
  const filename = file ? `; filename="${quoted(file.name)}"\r\nContent-Type: ${file.type}` : ''
  return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${filename}\r\n\r\n`
}

/** As browsers write it. */
function quoted(text: string): string {
  return text.toWellFormed().replace(/["\r\n]/g, (character) => encodeURIComponent(character))
}
