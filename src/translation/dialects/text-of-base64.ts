import { isUtf8 } from 'node:buffer'

const PDF = Buffer.from('%PDF-')

/** The text of a base64 file; undefined if it is not text. */
export function textOfBase64(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64')
  const isText = isUtf8(bytes) && !bytes.includes(0) && !bytes.subarray(0, PDF.length).equals(PDF)
  return isText ? bytes.toString('utf8') : undefined
}
