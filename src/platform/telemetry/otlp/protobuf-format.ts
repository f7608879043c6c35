import { Buffer } from 'node:buffer'
import type { MetricFamily, MetricPoint, Spread } from '../metric-families.ts'
import { type Attribute, attribute } from '../semconv.ts'
import type { SpanContext } from '../trace-context.ts'
import { type Envelope, type OtlpFormat, type Packing, type Rejected, rejection, type Window } from './format.ts'
import {
  double,
  field,
  field64,
  fieldHead,
  fixed64,
  hexBytes,
  int64,
  numberField,
  readMessage,
  utf8,
  varint,
} from './protobuf.ts'
import {
  AttributeList,
  type AttributeValue,
  type ListOwner,
  SPAN_KINDS,
  type Span,
  type SpanStatus,
  STATUS_CODES,
  shortText,
} from './span.ts'

// OTLP in protobuf. The numbers are those of the fields in opentelemetry/proto.

const NANOS_PER_MS = 1_000_000n
const CUMULATIVE = 2
/** Messages call the list of their attributes differently. */
const ATTRIBUTES: Readonly<Record<ListOwner, number>> = { span: 9, resource: 1, number: 7, histogram: 9 }
/** Of `ScopeSpans` as of `ScopeMetrics`: the spans, or the metrics. */
const CONTENT = 2

export const PROTOBUF_FORMAT: OtlpFormat = {
  contentType: 'application/x-protobuf',
  separator: '',
  pair: encodePair,
  span: encodeSpan,
  metric: encodeFamily,
  // `ResourceSpans` and `ResourceMetrics` have the same fields.
  packSpans: packing,
  packMetrics: packing,
  rejectedIn,
}

function encodePair({ protobuf, type }: Attribute, value: AttributeValue, owner: ListOwner): string | undefined {
  const written = encodeValue(type, value)
  return written === undefined ? undefined : field(ATTRIBUTES[owner], protobuf + field(2, written))
}

function encodeValue(type: Attribute['type'], value: AttributeValue): string | undefined {
  if (type === 'string') return textValue(String(value))
  if (type === 'long-string') return field(1, utf8(String(value).toWellFormed()))
  if (type === 'strings')
    return Array.isArray(value) ? field(5, value.map((one) => field(1, textValue(one))).join('')) : undefined
  if (type === 'bool') return numberField(2, varint(value === true ? 1 : 0))
  const number = Number(value)
  if (!Number.isFinite(number)) return undefined
  return type === 'int' ? numberField(3, int64(Math.round(number))) : field64(4, double(number))
}

function textValue(text: string): string {
  return field(1, textOf(text))
}

function textOf(text: string): string {
  return utf8(shortText(text))
}

function encodeSpan(span: Span): string {
  const { parentId, name, kind, startMs, endMs, attributes, status, link } = span
  const [traceId, spanId, state] = contextOf(span)
  const parent = parentId === null ? '' : field(4, hexBytes(parentId))
  const about = field(5, textOf(name)) + numberField(6, varint(SPAN_KINDS[kind]))
  const times = field64(7, nanos(startMs)) + field64(8, nanos(Math.max(startMs, endMs)))
  const linked = link ? field(13, contextOf(link).join('')) : ''
  const written = `${traceId}${spanId}${state}${parent}${about}${times}${attributes.text}${linked}`
  return field(CONTENT, written + field(15, encodeStatus(status)))
}

/** A span and a link begin alike. */
function contextOf({ traceId, spanId, state }: SpanContext): [traceId: string, spanId: string, state: string] {
  return [field(1, hexBytes(traceId)), field(2, hexBytes(spanId)), state === null ? '' : field(3, utf8(state))]
}

function encodeStatus(status: SpanStatus | null): string {
  if (status === null) return ''
  if (status === 'ok') return numberField(3, varint(STATUS_CODES.ok))
  return field(2, textOf(status.error)) + numberField(3, varint(STATUS_CODES.error))
}

function nanos(ms: number): string {
  return fixed64(BigInt(Math.max(0, Math.round(ms))) * NANOS_PER_MS)
}

function encodeFamily(family: MetricFamily, window: Window): string | undefined {
  const points = family.points()
  if (points.length === 0) return undefined
  const { name, help, type, unit } = family
  const about = field(1, utf8(name)) + field(2, utf8(help)) + field(3, utf8(unit))
  const written = points.map((point) => field(1, encodePoint(family, point, window))).join('')
  const temporality = numberField(2, varint(CUMULATIVE))
  if (type === 'gauge') return field(CONTENT, about + field(5, written))
  if (type === 'counter') return field(CONTENT, about + field(7, written + temporality + numberField(3, varint(1))))
  return field(CONTENT, about + field(9, written + temporality))
}

function encodePoint({ labels }: MetricFamily, point: MetricPoint, { startMs, nowMs }: Window): string {
  const attributes = new AttributeList(PROTOBUF_FORMAT, 'spread' in point ? 'histogram' : 'number')
  // An empty label means that there is none.
  labels.forEach((label, i) => {
    attributes.add(attribute('string', label), point.values[i] || null)
  })
  const times = field64(2, nanos(startMs)) + field64(3, nanos(nowMs))
  const value = 'spread' in point ? encodeSpread(point.spread) : field64(4, double(point.value))
  return attributes.text + times + value
}

function encodeSpread({ bounds, buckets, sum, count }: Spread): string {
  const above = count - buckets.reduce((all, one) => all + one, 0)
  const counts = [...buckets, above].map((one) => fixed64(BigInt(one))).join('')
  return (
    field64(4, fixed64(BigInt(count))) +
    field64(5, double(sum)) +
    field(6, counts) +
    field(7, bounds.map(double).join(''))
  )
}

function packing({ resource, scope, schemaUrl }: Envelope): Packing {
  const attributes = new AttributeList(PROTOBUF_FORMAT, 'resource')
  for (const [name, value] of Object.entries(resource)) attributes.add(attribute('string', name), value)
  const resourceField = field(1, attributes.text)
  const scopeField = field(1, field(1, utf8(scope.name)) + field(2, utf8(scope.version)))
  const schema = field(3, utf8(schemaUrl))
  const after = Buffer.from(schema + schema, 'latin1')
  return { separator: '', charset: 'latin1', wrap }

  function wrap(content: Uint8Array): Buffer {
    const scopeLength = scopeField.length + content.length + schema.length
    const scopeHead = fieldHead(2, scopeLength)
    const length = resourceField.length + scopeHead.length + scopeLength + schema.length
    const before = fieldHead(1, length) + resourceField + scopeHead + scopeField
    return Buffer.concat([Buffer.from(before, 'latin1'), content, after])
  }
}

/** `ExportTraceServiceResponse` and `ExportMetricsServiceResponse` have the same fields. */
function rejectedIn(answer: Uint8Array): Rejected | undefined {
  try {
    const partial = readMessage(answer).find((one) => one.field === 1)
    if (!partial) return undefined
    const fields = readMessage(partial.bytes)
    const count = fields.find((one) => one.field === 1)?.number ?? 0
    return rejection(count, Buffer.from(fields.find((one) => one.field === 2)?.bytes ?? '').toString())
  } catch {
    // Some collectors answer with nothing, or in another format. The status has said it already.
    return undefined
  }
}
