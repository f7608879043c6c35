import assert from 'node:assert/strict'
import { createSecureServer, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { seenExports } from './collector.ts'
import { decodeOtlp, encodeAnswer } from './otlp-decoder.ts'

// A collector that speaks OTLP over gRPC on a real port. It ends a call with INVALID_ARGUMENT if anything of the request is not
// as gRPC wants it, and remembers why.

type Behaviour = (stream: ServerHttp2Stream, path: string) => void
type Certificate = { cert: string; key: string; ca?: string }

const METHOD = /^\/opentelemetry\.proto\.collector\.(?:trace\.v1\.TraceService|metrics\.v1\.MetricsService)\/Export$/
const OK = 0
const INVALID_ARGUMENT = 3
const HEAD_BYTES = 5

export type FakeGrpcCollector = Awaited<ReturnType<typeof startGrpcCollector>>

export async function startGrpcCollector(certificate?: Certificate) {
  const seen = seenExports<Behaviour>()
  const problems: string[] = []
  const sessions = new Set<{ destroy(): void }>()
  const server = certificate
    ? createSecureServer({ ...certificate, ...(certificate.ca && { requestCert: true }) })
    : createServer()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', async (stream, headers) => {
    stream.on('error', () => undefined)
    const bytes = await buffer(stream).catch(() => undefined)
    if (!bytes) return
    const path = headers[':path'] ?? ''
    try {
      const body = decodeOtlp(path, messageIn(bytes, headers))
      const behaviour = seen.next({ path, headers: headers as IncomingHttpHeaders, bytes, body })
      if (behaviour) behaviour(stream, path)
      else answerWith(OK)(stream, path)
      seen.look()
    } catch (error) {
      problems.push(String(error))
      answerWith(INVALID_ARGUMENT)(stream, path)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: certificate ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    ...seen.collector,
    problems,
    /** How many connections there have been. */
    connections: () => sessions.size,
    close: () => {
      for (const session of sessions) session.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function messageIn(bytes: Buffer, headers: IncomingHttpHeaders): Buffer {
  assert.match(String(headers[':path']), METHOD)
  assert.deepEqual([headers[':method'], headers.te], ['POST', 'trailers'])
  assert.match(headers['content-type'] ?? '', /^application\/grpc(?:\+proto)?$/)
  assert.match(String(headers['grpc-timeout']), /^\d{1,8}[HMSmun]$/)
  assert.equal(bytes.readUInt32BE(1), bytes.length - HEAD_BYTES)
  const isCompressed = bytes.readUInt8() === 1
  assert.ok(isCompressed || bytes.readUInt8() === 0)
  assert.equal(isCompressed, headers['grpc-encoding'] === 'gzip')
  const message = bytes.subarray(HEAD_BYTES)
  return isCompressed ? gunzipSync(message) : message
}

/** A message, and the status in the trailers. Without a message, an error is in the headers alone, as gRPC allows. */
export function answerWith(code: number, { details, partial }: { details?: Buffer; partial?: object } = {}): Behaviour {
  return (stream, path) => {
    const status = {
      'grpc-status': String(code),
      ...(details && { 'grpc-status-details-bin': details.toString('base64').replace(/=+$/, '') }),
    }
    const head = { ':status': 200, 'content-type': 'application/grpc+proto' }
    if (code !== OK) return stream.respond({ ...head, ...status }, { endStream: true })
    stream.respond(head, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers(status))
    stream.end(framed(encodeAnswer(path, partial)))
  }
}

/** An answer of something in between that knows nothing of gRPC. */
export function answerPlainly(status: number): Behaviour {
  return (stream) => stream.respond({ ':status': status, 'content-type': 'text/html' }, { endStream: true })
}

/** An answer that breaks off before its trailers. */
export function cutOff(): Behaviour {
  return (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
    stream.write('\0', () => stream.destroy(new Error('cut off')))
  }
}

/** A body that ends without the status that gRPC wants. */
export function endWithoutStatus(): Behaviour {
  return (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
    stream.end(framed(encodeAnswer('/v1/traces')))
  }
}

/** The whole connection is gone. */
export function hangUp(): Behaviour {
  return (stream) => stream.session?.destroy()
}

/** `google.rpc.Status` with a `RetryInfo`, as a server with the published schema writes it. */
export function retryInfo(milliseconds: number): Buffer {
  const duration = Buffer.concat([
    Buffer.from([0x08, Math.floor(milliseconds / 1_000)]),
    ...(milliseconds % 1_000 === 0 ? [] : [Buffer.from([0x10]), varint((milliseconds % 1_000) * 1_000_000)]),
  ])
  const any = [part(1, Buffer.from('type.googleapis.com/google.rpc.RetryInfo')), part(2, part(1, duration))]
  return Buffer.concat([Buffer.from([0x08, 14]), part(2, Buffer.from('busy')), part(3, Buffer.concat(any))])
}

function part(field: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, content.length]), content])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest])
    bytes.push((rest & 0x7f) | 0x80)
  }
}

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}
