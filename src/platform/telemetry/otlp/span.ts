import type { Attribute } from '../semconv.ts'
import type { SpanContext } from '../trace-context.ts'

export const SPAN_KINDS = { server: 2, client: 3, producer: 4, consumer: 5 } as const
type SpanKind = keyof typeof SPAN_KINDS

export type AttributeValue = string | number | boolean | readonly string[]
/** What a list of attributes belongs to. */
export type ListOwner = 'span' | 'resource' | 'number' | 'histogram'

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

export const STATUS_CODES = { ok: 1, error: 2 } as const
const MAX_CHARS = 1_024

/** How attributes are written. */
export type AttributeFormat = {
  readonly separator: string
  /** An attribute with its value. Undefined if OTLP has no such value, such as a number that is not finite. */
  pair(attribute: Attribute, value: AttributeValue, owner: ListOwner): string | undefined
}

/** Encoded attributes. What is not known is left out: null is no value in OTLP. */
export class AttributeList {
  readonly #format: AttributeFormat
  readonly #owner: ListOwner
  text = ''

  constructor(format: AttributeFormat, owner: ListOwner = 'span') {
    this.#format = format
    this.#owner = owner
  }

  add(attribute: Attribute | null, value: AttributeValue | null | undefined): this {
    if (attribute === null || value === null || value === undefined) return this
    return this.addText(this.#format.pair(attribute, value, this.#owner) ?? '')
  }

  /** Adds what another list has. */
  addText(text: string): this {
    if (text !== '') this.text = this.text === '' ? text : this.text + this.#format.separator + text
    return this
  }
}

/** A lone surrogate cannot be encoded, and an attribute of a megabyte helps no reader. */
export function shortText(text: string): string {
  return text.length <= MAX_CHARS ? text.toWellFormed() : text.slice(0, MAX_CHARS).toWellFormed()
}
