import { Buffer } from 'node:buffer'
import type { MetricFamily, MetricPoint, Spread } from '../metric-families.ts'
import { type Attribute, attribute } from '../semconv.ts'
import type { SpanContext } from '../trace-context.ts'
import { type Envelope, type OtlpFormat, type Packing, type Rejected, rejection, type Window } from './format.ts'
import {
  AttributeList,
  type AttributeValue,
  SPAN_KINDS,
  type Span,
  type SpanStatus,
  STATUS_CODES,
  shortText,
} from './span.ts'

// OTLP in JSON. Ids are hexadecimal there, and 64-bit integers are texts.

const CUMULATIVE = 2
const NANOS_PER_MS = '000000'

export const JSON_FORMAT: OtlpFormat = {
  contentType: 'application/json',
  separator: ',',
  pair: encodePair,
  span: encodeSpan,
  metric: encodeFamily,
  packSpans: (envelope) => packing(envelope, '{"resourceSpans":[', '"scopeSpans":[', '"spans":['),
  packMetrics: (envelope) => packing(envelope, '{"resourceMetrics":[', '"scopeMetrics":[', '"metrics":['),
  rejectedIn,
}

function encodePair(attribute: Attribute, value: AttributeValue): string | undefined {
  const written = encodeValue(attribute, value)
  return written === undefined ? undefined : `${attribute.json}${written}}}`
}

function encodeValue({ type }: Attribute, value: AttributeValue): string | undefined {
  if (type === 'string') return textOf(String(value))
  if (type === 'long-string') return JSON.stringify(String(value).toWellFormed())
  if (type === 'strings') return Array.isArray(value) ? `{"values":[${value.map(textValue).join(',')}]}` : undefined
  if (type === 'bool') return value === true ? 'true' : 'false'
  const number = Number(value)
  if (!Number.isFinite(number)) return undefined
  return type === 'int' ? `"${Math.round(number)}"` : String(number)
}

function textValue(value: string): string {
  return `{"stringValue":${textOf(value)}}`
}

function textOf(text: string): string {
  return JSON.stringify(shortText(text))
}

function encodeSpan(span: Span): string {
  const { traceId, spanId, parentId, state, name, kind, link } = span
  return (
    `{"traceId":"${traceId}","spanId":"${spanId}"` +
    (parentId === null ? '' : `,"parentSpanId":"${parentId}"`) +
    (state === null ? '' : `,"traceState":${JSON.stringify(state)}`) +
    `,"name":${textOf(name)},"kind":${SPAN_KINDS[kind]}` +
    `,"startTimeUnixNano":"${nanos(span.startMs)}","endTimeUnixNano":"${nanos(Math.max(span.startMs, span.endMs))}"` +
    `,"attributes":[${span.attributes.text}]` +
    (link ? `,"links":[${encodeLink(link)}]` : '') +
    `,"status":${encodeStatus(span.status)}}`
  )
}

function encodeLink({ traceId, spanId, state }: SpanContext): string {
  return `{"traceId":"${traceId}","spanId":"${spanId}"${state === null ? '' : `,"traceState":${JSON.stringify(state)}`}}`
}

function encodeStatus(status: SpanStatus | null): string {
  if (status === null) return '{}'
  if (status === 'ok') return `{"code":${STATUS_CODES.ok}}`
  return `{"code":${STATUS_CODES.error},"message":${textOf(status.error)}}`
}

/** Nanoseconds have too many digits for a number, so they are added as text. */
function nanos(ms: number): string {
  return `${Math.max(0, Math.round(ms))}${NANOS_PER_MS}`
}

function encodeFamily(family: MetricFamily, window: Window): string | undefined {
  const points = family.points()
  if (points.length === 0) return undefined
  const { name, help, type, unit } = family
  const about = `{"name":${JSON.stringify(name)},"description":${JSON.stringify(help)},"unit":${JSON.stringify(unit)}`
  const written = points.map((point) => encodePoint(family, point, window)).join(',')
  if (type === 'gauge') return `${about},"gauge":{"dataPoints":[${written}]}}`
  if (type === 'counter')
    return `${about},"sum":{"dataPoints":[${written}],"aggregationTemporality":${CUMULATIVE},"isMonotonic":true}}`
  return `${about},"histogram":{"dataPoints":[${written}],"aggregationTemporality":${CUMULATIVE}}}`
}

function encodePoint({ labels }: MetricFamily, point: MetricPoint, { startMs, nowMs }: Window): string {
  const attributes = new AttributeList(JSON_FORMAT)
  // An empty label means that there is none.
  labels.forEach((label, i) => {
    attributes.add(attribute('string', label), point.values[i] || null)
  })
  const about =
    `{"attributes":[${attributes.text}],"startTimeUnixNano":"${nanos(startMs)}"` + `,"timeUnixNano":"${nanos(nowMs)}"`
  return 'spread' in point ? `${about},${encodeSpread(point.spread)}}` : `${about},"asDouble":${point.value}}`
}

function encodeSpread({ bounds, buckets, sum, count }: Spread): string {
  const above = count - buckets.reduce((all, one) => all + one, 0)
  const counts = [...buckets, above].map((one) => `"${one}"`)
  return `"count":"${count}","sum":${sum},"bucketCounts":[${counts.join(',')}],"explicitBounds":[${bounds.join(',')}]`
}

/** The texts before and after the spans or metrics are the same in every request. */
function packing(
  { resource, scope, schemaUrl }: Envelope,
  resources: string,
  scopes: string,
  content: string,
): Packing {
  const attributes = new AttributeList(JSON_FORMAT)
  for (const [name, value] of Object.entries(resource)) attributes.add(attribute('string', name), value)
  const schema = JSON.stringify(schemaUrl)
  const before = Buffer.from(
    `${resources}{"resource":{"attributes":[${attributes.text}]},${scopes}{"scope":${JSON.stringify(scope)},${content}`,
  )
  const after = Buffer.from(`],"schemaUrl":${schema}}],"schemaUrl":${schema}}]}`)
  return { separator: ',', charset: 'utf8', wrap: (bytes) => Buffer.concat([before, bytes, after]) }
}

function rejectedIn(answer: Uint8Array): Rejected | undefined {
  try {
    const { partialSuccess } = JSON.parse(Buffer.from(answer).toString()) as {
      partialSuccess?: Record<string, unknown>
    }
    if (!partialSuccess) return undefined
    const count = Number(
      partialSuccess.rejectedSpans ?? partialSuccess.rejectedDataPoints ?? partialSuccess.rejectedLogRecords ?? 0,
    )
    return rejection(count, String(partialSuccess.errorMessage ?? ''))
  } catch {
    // Some collectors answer with nothing, or in another format. The status has said it already.
    return undefined
  }
}
