import type { Attribute } from '../semconv.ts'
import type { SpanContext } from '../trace-context.ts'

// Spans in OTLP/JSON. Ids are hexadecimal there, and 64-bit integers are texts.

const SPAN_KINDS = { server: 2, client: 3, producer: 4, consumer: 5 } as const
type SpanKind = keyof typeof SPAN_KINDS

export type AttributeValue = string | number | boolean | readonly string[]

export type Span = SpanContext & {
  readonly parentId: string | null
  readonly name: string
  readonly kind: SpanKind
  /** On the wall clock, in milliseconds. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: AttributeList
  readonly status: SpanStatus | null
  readonly link?: SpanContext | null
}

export type SpanStatus = 'ok' | { readonly error: string }

const OK = 1
const ERROR = 2
const NANOS_PER_MS = '000000'
const MAX_CHARS = 1_024

/** Attributes as text. What is not known is left out: null is no value in OTLP. */
export class AttributeList {
  text: string

  /** It may begin with what another list has. */
  constructor(text = '') {
    this.text = text
  }

  add(attribute: Attribute | null, value: AttributeValue | null | undefined): this {
    if (attribute === null || value === null || value === undefined) return this
    const written = encodeValue(attribute, value)
    if (written === undefined) return this
    this.text += `${this.text === '' ? attribute.first : attribute.next}${written}}}`
    return this
  }

  /** Adds what another list has. */
  addText(text: string): this {
    if (text !== '') this.text += this.text === '' ? text : `,${text}`
    return this
  }
}

function encodeValue({ type }: Attribute, value: AttributeValue): string | undefined {
  if (type === 'string') return textOf(String(value))
  if (type === 'strings') return Array.isArray(value) ? `{"values":[${value.map(textValue).join(',')}]}` : undefined
  if (type === 'bool') return value === true ? 'true' : 'false'
  const number = Number(value)
  if (!Number.isFinite(number)) return undefined
  return type === 'int' ? `"${Math.round(number)}"` : String(number)
}

function textValue(value: string): string {
  return `{"stringValue":${textOf(value)}}`
}

/** A lone surrogate cannot be encoded, and an attribute of a megabyte helps no reader. */
function textOf(text: string): string {
  return JSON.stringify(text.length <= MAX_CHARS ? text.toWellFormed() : text.slice(0, MAX_CHARS).toWellFormed())
}

export function encodeSpan(span: Span): string {
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
  return status === 'ok' ? `{"code":${OK}}` : `{"code":${ERROR},"message":${textOf(status.error)}}`
}

/** Nanoseconds have too many digits for a number, so they are added as text. */
export function nanos(ms: number): string {
  return `${Math.max(0, Math.round(ms))}${NANOS_PER_MS}`
}
