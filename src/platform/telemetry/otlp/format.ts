import type { MetricFamily } from '../metric-families.ts'
import type { AttributeFormat, Span } from './span.ts'

// OTLP has one set of messages and two encodings of them: JSON and protobuf. Both are written as texts, which are joined for as
// long as possible and become bytes once; a text of protobuf has one character for each byte.
//
// Both encoders are our own. OpenTelemetry's SDK takes twice the CPU for a call and 21 packages of 30 MB, and protobufjs has a
// script that runs when it is installed; the five messages that we send take less code than either needs to be set up. The tests
// read what they write with the decoder that OpenTelemetry has generated from its schema.

/** Both on the wall clock: when this process began to count, and now. */
export type Window = { readonly startMs: number; readonly nowMs: number }

/** What the spans and metrics of this process have in common. */
export type Envelope = {
  readonly resource: Readonly<Record<string, string>>
  readonly scope: { readonly name: string; readonly version: string }
  readonly schemaUrl: string
}

/** How encoded spans or metrics become the body of a request. */
export type Packing = {
  /** What stands between two of them. */
  readonly separator: string
  readonly charset: 'utf8' | 'latin1'
  wrap(content: Uint8Array): Buffer
}

/** A collector may take only a part of a batch. */
export type Rejected = { readonly count: number; readonly message: string }

export type OtlpFormat = AttributeFormat & {
  readonly contentType: string
  span(span: Span): string
  /** Undefined for a family without points, which has nothing to say yet. */
  metric(family: MetricFamily, window: Window): string | undefined
  packSpans(envelope: Envelope): Packing
  packMetrics(envelope: Envelope): Packing
  /** Reads the answer to a batch. Undefined if the collector took all of it, or answered with something else. */
  rejectedIn(answer: Uint8Array): Rejected | undefined
}

const MAX_MESSAGE_CHARS = 200

/** What a collector says about a part that it rejected, if it is usable. */
export function rejection(count: number, message: string): Rejected | undefined {
  return Number.isSafeInteger(count) && count > 0 ? { count, message: message.slice(0, MAX_MESSAGE_CHARS) } : undefined
}
