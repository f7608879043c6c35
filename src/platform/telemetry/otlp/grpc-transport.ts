import { Buffer } from 'node:buffer'
import type { CollectorAnswer, Packed, SignalTarget, Transport } from './collector.ts'
import type { OtlpFormat } from './format.ts'
import { readMessage } from './protobuf.ts'
import type { Http2Answer, Http2Request } from '../../net/http2/http2-client.ts'

// OTLP over gRPC: one unary call for each batch. A message has five bytes in front of it, and the trailers say how the call ended.

const METHODS = {
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
} as const
const HEAD_BYTES = 5
const OK = 0
const UNKNOWN = 2
const RESOURCE_EXHAUSTED = 8
const INTERNAL = 13
/** Cancelled, deadline exceeded, aborted, out of range, unavailable, data loss: as OTLP says, every other error is final. */
const RETRYABLE: ReadonlySet<number> = new Set([1, 4, 10, 11, 14, 15])
/** What gRPC says about an answer without a status of its own, which came from something in between. */
const CODE_OF_HTTP: Readonly<Record<number, number>> = {
  400: 13,
  401: 16,
  403: 7,
  404: 12,
  429: 14,
  502: 14,
  503: 14,
  504: 14,
}
const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo'

/** Sends a request over HTTP/2, and rejects if no answer comes in time. */
type PostHttp2 = (request: Http2Request, timeoutMs: number, signal: AbortSignal) => Promise<Http2Answer>

export function overGrpc(
  signalName: keyof typeof METHODS,
  { headers, timeoutMs }: SignalTarget,
  { format, post }: { format: OtlpFormat; post: PostHttp2 },
): Transport {
  const plain = {
    ...headers,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    'grpc-accept-encoding': 'identity',
    'grpc-timeout': `${Math.min(timeoutMs, MAX_TIMEOUT)}m`,
  }
  return async (batch, signal) => {
    const own = batch.isCompressed ? { ...plain, 'grpc-encoding': 'gzip' } : plain
    const request = { path: METHODS[signalName], headers: own, body: framed(batch) }
    return answerOf(await post(request, timeoutMs, signal), format)
  }
}

/** `grpc-timeout` has at most eight digits. */
const MAX_TIMEOUT = 99_999_999

function framed({ bytes, isCompressed }: Packed): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(isCompressed ? 1 : 0)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

function answerOf(answer: Http2Answer, format: OtlpFormat): CollectorAnswer {
  const code = codeOf(answer)
  if (code === OK) return { kind: 'taken', rejected: format.rejectedIn(messageIn(answer.body) ?? NOTHING) }
  const why = `gRPC status ${code}`
  const afterMs = retryDelayIn(answer.headers['grpc-status-details-bin'])
  // A collector that is exhausted may be asked again only if it says when.
  const isLater = RETRYABLE.has(code) || (code === RESOURCE_EXHAUSTED && afterMs !== undefined)
  return isLater ? { kind: 'later', why, afterMs } : { kind: 'refused', why }
}

const NOTHING = new Uint8Array()

/** A call without a status has not ended well, whatever else came. */
function codeOf({ status, headers, body }: Http2Answer): number {
  const grpcStatus = headers['grpc-status']
  if (grpcStatus === undefined) return status === 200 ? UNKNOWN : (CODE_OF_HTTP[status] ?? UNKNOWN)
  const code = /^\d{1,3}$/.test(grpcStatus) ? Number(grpcStatus) : UNKNOWN
  return code === OK && messageIn(body) === undefined ? INTERNAL : code
}

/** The one message of an answer. Undefined if there is none, more than one, or one that is compressed although we did not ask. */
function messageIn(body: Uint8Array): Uint8Array | undefined {
  if (body.length < HEAD_BYTES) return undefined
  const { buffer, byteOffset } = body
  const length = new DataView(buffer, byteOffset).getUint32(1)
  return body[0] === 0 && body.length === HEAD_BYTES + length ? body.subarray(HEAD_BYTES) : undefined
}

/** `google.rpc.Status` may hold a `RetryInfo`: how long to wait. */
function retryDelayIn(details: string | undefined): number | undefined {
  if (details === undefined) return undefined
  try {
    for (const { field, bytes } of readMessage(Buffer.from(details, 'base64'))) {
      const delay = field === 3 ? retryDelayOf(bytes) : undefined
      if (delay !== undefined) return delay
    }
  } catch {
    // Details that cannot be read say nothing.
  }
  return undefined
}

function retryDelayOf(any: Uint8Array): number | undefined {
  const fields = readMessage(any)
  const typeUrl = Buffer.from(fields.find(({ field }) => field === 1)?.bytes ?? NOTHING).toString()
  if (typeUrl !== RETRY_INFO) return undefined
  const info = readMessage(fields.find(({ field }) => field === 2)?.bytes ?? NOTHING)
  const duration = readMessage(info.find(({ field }) => field === 1)?.bytes ?? NOTHING)
  const [seconds, nanos] = [1, 2].map((fieldNumber) => duration.find(({ field }) => field === fieldNumber)?.number ?? 0)
  return Math.max(0, seconds! * 1_000 + nanos! / 1_000_000)
}
