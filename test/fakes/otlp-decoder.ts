import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

// An independent reader of OTLP: the code that OpenTelemetry has generated from its published protobuf schema.

type Message = {
  verify(value: object): string | null
  fromObject(value: object): object
  toObject(message: object, options: object): Record<string, unknown>
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
}
type Names<Signal extends string> = `Export${Signal}Service${'Request' | 'Response'}`
type Service<Signal extends string> = { v1: Record<Names<Signal>, Message> }

const root = createRequire(import.meta.url)('@opentelemetry/otlp-proto-exporter-base/build/src/generated/root.js') as {
  opentelemetry: {
    proto: { collector: { trace: Service<'Trace'>; metrics: Service<'Metrics'>; logs: Service<'Logs'> } }
  }
}
const { trace, metrics, logs } = root.opentelemetry.proto.collector

/** In OTLP/JSON these are hexadecimal, unlike all other bytes in protobuf's JSON. */
const HEX_IDS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId'])
const READABLE = { longs: String, enums: Number, bytes: Buffer, arrays: false }

/** Fails unless the body means the same after it was written and read as protobuf: no unknown member, no wrong type. */
export function checkOtlp(path: string, body: object): void {
  const message = requestOf(path)
  const withBytes = mapped(body, (name, value) => (HEX_IDS.has(name) ? Buffer.from(String(value), 'hex') : value))
  const built = message.fromObject(withBytes as object)
  assert.equal(message.verify(built), null)
  const read = readable(message, message.decode(message.encode(built).finish()))
  assert.deepEqual(withoutDefaults(read), withoutDefaults(body))
}

/** A request in protobuf, as OTLP/JSON would say it. Fails if a byte of it is no field of the published schema. */
export function decodeOtlp(path: string, bytes: Uint8Array): Record<string, unknown> {
  const message = requestOf(path)
  const decoded = message.decode(bytes)
  // What the schema does not have is skipped when it is read, and so is not written again.
  assert.equal(message.encode(decoded).finish().length, bytes.length)
  return readable(message, decoded)
}

/** An answer in protobuf. */
export function encodeAnswer(path: string, partialSuccess?: object): Uint8Array {
  const message = isOf('trace', path)
    ? trace.v1.ExportTraceServiceResponse
    : isOf('logs', path)
      ? logs.v1.ExportLogsServiceResponse
      : metrics.v1.ExportMetricsServiceResponse
  return message.encode(message.fromObject(partialSuccess ? { partialSuccess } : {})).finish()
}

function requestOf(path: string): Message {
  if (isOf('trace', path)) return trace.v1.ExportTraceServiceRequest
  return isOf('logs', path) ? logs.v1.ExportLogsServiceRequest : metrics.v1.ExportMetricsServiceRequest
}

/** Over HTTP, or with gRPC. */
function isOf(signal: 'trace' | 'logs', path: string): boolean {
  return signal === 'trace' ? /\/v1\/traces$|\.TraceService\//.test(path) : /\/v1\/logs$|\.LogsService\//.test(path)
}

function readable(message: Message, decoded: object): Record<string, unknown> {
  return mapped(message.toObject(decoded, READABLE), (name, value) =>
    HEX_IDS.has(name) ? Buffer.from(value as Buffer).toString('hex') : value,
  ) as Record<string, unknown>
}

type Change = (name: string, value: unknown) => unknown

function mapped(value: unknown, change: Change): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change))
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, mapped(change(name, member), change)])
  return Object.fromEntries(members)
}

/** Protobuf does not transport zeros, empty texts and empty lists outside of a `oneof`. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(
    ([name, member]) => /Value$|^as[A-Z]|^sum$/.test(name) || !isDefault(member),
  )
  return Object.fromEntries(members.map(([name, member]) => [name, withoutDefaults(member)]))
}

function isDefault(value: unknown): boolean {
  return value === '' || value === 0 || value === '0' || value === false || (Array.isArray(value) && value.length === 0)
}
