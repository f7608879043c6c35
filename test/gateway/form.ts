/** A part of a form. `headers` replaces those that a well-behaved client would send. */
export type FormPart = {
  name: string
  content: string | Uint8Array
  filename?: string
  type?: string
  headers?: string
}

export type Form = { type: string; body: Buffer }

const BOUNDARY = 'gatehouse-test-boundary'

/** A multipart form, encoded by hand, because real clients cannot produce the interesting cases. */
export function formOf(parts: readonly FormPart[]): Form {
  const written = parts.flatMap((part) => [
    Buffer.from(`--${BOUNDARY}\r\n${headersOf(part)}\r\n\r\n`),
    Buffer.from(part.content as Uint8Array),
    Buffer.from('\r\n'),
  ])
  return {
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.concat([...written, Buffer.from(`--${BOUNDARY}--\r\n`)]),
  }
}

function headersOf({ name, filename, type, headers }: FormPart): string {
  if (headers !== undefined) return headers
  const file = filename === undefined ? '' : `; filename="${filename}"`
  return `Content-Disposition: form-data; name="${name}"${file}${type ? `\r\nContent-Type: ${type}` : ''}`
}
