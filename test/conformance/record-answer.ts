import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/** Of longer bodies only the beginning is kept, because some tests measure the memory of the process. */
const KEPT_BYTES = 256 * 1024
const MAX_CHUNK_LINE = 12

type RecordedAnswer = { contentType(): string | undefined; body(): string; isWhole(): boolean }

/** Keeps the type and the body of an answer while it is written, below the framework, which some answers go past. */
export function recordAnswer(response: ServerResponse): RecordedAnswer {
  const body = recordBody(response)
  const headerOf = recordHead(response)
  // The first chunk of a stream begins with its length, a whole JSON text never does so.
  const isStream = () => /^(text\/event-stream|application\/json)/.test(contentType() ?? '')
  const contentType = () => headerOf('content-type')
  const bytes = () => decoded(body.bytes(), headerOf('content-encoding'))
  return {
    contentType,
    body: () => (isStream() ? unframed(bytes()) : bytes()).toString(),
    isWhole: () => body.length() <= KEPT_BYTES && !isCut(body.bytes()),
  }
}

function recordHead(response: ServerResponse): (name: string) => string | undefined {
  const { writeHead } = response
  let headers: unknown
  response.writeHead = ((...args: unknown[]) => {
    headers = args.at(-1)
    return Reflect.apply(writeHead, response, args)
  }) as typeof writeHead
  return (name) => headerIn(headers, name) ?? (response.getHeader(name) as string | undefined)
}

function headerIn(headers: unknown, wanted: string): string | undefined {
  if (!Array.isArray(headers)) return (headers as OutgoingHttpHeaders | undefined)?.[wanted] as string
  const at = headers.findIndex((name, index) => index % 2 === 0 && name === wanted)
  return at < 0 ? undefined : String(headers[at + 1])
}

/** Only what the gateway has compressed as a whole has an encoding. */
function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0 || encoding === undefined) return bytes
  return encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)
}

function recordBody(response: ServerResponse) {
  const pieces: Buffer[] = []
  let length = 0
  for (const name of ['write', 'end'] as const) {
    const original = response[name]
    response[name] = ((...args: unknown[]) => {
      const piece = bytesOf(args[0], args[1])
      if (length < KEPT_BYTES) pieces.push(piece)
      length += piece.length
      return Reflect.apply(original, response, args)
    }) as never
  }
  return { bytes: () => Buffer.concat(pieces), length: () => length }
}

function bytesOf(piece: unknown, encoding: unknown): Buffer {
  if (typeof piece === 'string')
    return Buffer.from(piece, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
  return piece instanceof Uint8Array ? Buffer.from(piece) : Buffer.alloc(0)
}

/** A stream of JSON that broke: it has chunks, and not the last one. */
function isCut(bytes: Buffer): boolean {
  return (
    /^[0-9a-f]+\r\n/.test(bytes.toString('latin1', 0, MAX_CHUNK_LINE)) &&
    !bytes.toString('latin1').endsWith('\r\n0\r\n\r\n')
  )
}

/** The gateway writes the chunk lines of streams itself (src/http/framed-body.ts), except for HTTP/1.0. */
function unframed(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const line = lineEnd < 0 ? '' : bytes.toString('latin1', at, lineEnd)
    if (!/^[0-9a-f]+$/.test(line)) return at === 0 ? bytes : Buffer.concat(chunks)
    const start = lineEnd + 2
    const end = start + Number.parseInt(line, 16)
    chunks.push(bytes.subarray(start, end))
    at = end + 2
  }
  return Buffer.concat(chunks)
}
