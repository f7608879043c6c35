import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { Problem } from '../../src/contract/problems.ts'
import { type MultipartLimits, type Part, readMultipart } from '../../src/http/forms/multipart.ts'

// Forms encoded byte by byte, and readers for them.

export const BOUNDARY = '----boundary42'
export const TYPE = `multipart/form-data; boundary=${BOUNDARY}`

export type FormPart = { headers: string; content: Buffer | string }

export function form(parts: FormPart[]): Buffer {
  const pieces = parts.map(({ headers, content }) =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n`),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    ]),
  )
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

export function field(name: string, content: string): FormPart {
  return { headers: `Content-Disposition: form-data; name="${name}"`, content }
}

export function file(name: string, content: Buffer | string): FormPart {
  return { headers: `Content-Disposition: form-data; name="${name}"; filename="${name}.bin"`, content }
}

export async function readAll(chunks: Iterable<Uint8Array>, limits?: MultipartLimits) {
  const parts: (Omit<Part, 'bytes'> & { content: string })[] = []
  for await (const { bytes, ...headers } of readMultipart(TYPE, from(chunks), limits))
    parts.push({ ...headers, content: (await buffer(bytes)).toString('latin1') })
  return parts
}

export async function drain(source: AsyncIterable<Uint8Array>, limits?: MultipartLimits): Promise<void> {
  for await (const { bytes } of readMultipart(TYPE, source, limits)) await buffer(bytes)
}

export async function* from(chunks: Iterable<Uint8Array>) {
  yield* chunks
}

export function* pieces(bytes: Buffer, size: number) {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

export function refusal(code: string, sentence: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, sentence)
    if (code === 'validation_error') assert.equal(error.details.detail?.[0]?.loc[0], 'body')
    return true
  }
}
