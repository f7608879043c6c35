import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { Readable, type Transform } from 'node:stream'
import { throughGenerator } from '../../base/bytes/through-generator.ts'
import { type WireBody, WireFailure, type WireResponse } from '../../translation/wire/wire.ts'

// The gateway asks for no compression, but some providers and proxies compress all the same.

/** A proxy may compress once more. Every further coding would multiply what a few bytes can become. */
const MAX_CODINGS = 2
/** Decoded bytes come in steps of this size. The decoding itself happens in the thread pool, not on the event loop. */
const STEP_BYTES = 64 * 1024
/** The largest window that a sender may use over HTTP (RFC 9659). It is what a decoder has to keep in memory. */
const ZSTD_WINDOW_LOG = 23
const ZLIB_METHOD = 8

const options = { chunkSize: STEP_BYTES }
const DECODERS: Record<string, (first: Uint8Array) => Transform> = {
  gzip: () => createGunzip(options),
  'x-gzip': () => createGunzip(options),
  // Some servers omit the header that the standard requires.
  deflate: (first) => (hasZlibHeader(first) ? createInflate(options) : createInflateRaw(options)),
  br: () => createBrotliDecompress(options),
  zstd: () => createZstdDecompress({ ...options, params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
}

/** The answer as if it had not been compressed. Its reader counts and limits the decoded bytes, and pulls them step by step. */
export function plainResponse(response: WireResponse): WireResponse {
  const encoding = response.headers['content-encoding']
  if (encoding === undefined) return response
  const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers
  const codings = String(encoding)
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length === 0) return response
  return { ...response, headers, body: codings.reduceRight(decoded, response.body) }
}

function decoded(body: WireBody, coding: string, index: number): WireBody {
  return throughGenerator(body, (pieces) => decodedPieces(pieces[Symbol.asyncIterator](), coding, index))
}

async function* decodedPieces(source: AsyncIterator<Uint8Array>, coding: string, index: number) {
  const open = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined
  if (!open || index >= MAX_CODINGS) throw new WireFailure('protocol')
  const first = await source.next()
  if (!first.done) yield* throughDecoder(rest(first.value, source), open(first.value))
}

async function* throughDecoder(pieces: AsyncIterable<Uint8Array>, decoder: Transform): AsyncGenerator<Uint8Array> {
  const compressed = Readable.from(pieces, { objectMode: true, highWaterMark: 1 })
  compressed.on('error', (error) => decoder.destroy(error)).pipe(decoder)
  try {
    for await (const piece of decoder) yield piece
  } catch (error) {
    throw failureOf(error)
  } finally {
    compressed.destroy()
    decoder.destroy()
  }
}

async function* rest(first: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
}

/** Bytes that end too early are a cut answer; others were not compressed as their header says. */
function failureOf(error: unknown): unknown {
  const code = String((error as { code?: unknown }).code)
  if (code === 'Z_BUF_ERROR') return new WireFailure('reset', error)
  return /^(Z_|ERR_|ZSTD_)/.test(code) ? new WireFailure('protocol', error) : error
}

function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === ZLIB_METHOD && ((first << 8) | second) % 31 === 0
}
