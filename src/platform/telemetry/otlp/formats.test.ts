import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkOtlp, decodeOtlp, encodeAnswer } from '../../../../test/fakes/otlp-decoder.ts'
import type { MetricFamily } from '../metric-families.ts'
import { attribute } from '../semconv.ts'
import type { OtlpFormat } from './format.ts'
import { JSON_FORMAT } from './json-format.ts'
import { int64, readMessage, varint } from './protobuf.ts'
import { PROTOBUF_FORMAT } from './protobuf-format.ts'
import { AttributeList, type Span } from './span.ts'

// Both encodings of the same spans and metrics mean the same to OpenTelemetry's own decoder.

const ENVELOPE = {
  resource: { 'service.name': 'gateway', 'deployment.environment.name': 'prüfung' },
  scope: { name: 'gatehouse', version: '0.1.0' },
  schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
}
const WINDOW = { startMs: 1_763_000_000_000, nowMs: 1_763_000_060_001 }
const hex = (length: number) =>
  fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length }).map((all) => all.join(''))
const context = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  isSampled: fc.boolean(),
  state: fc.constantFrom(null, 'vendor=1', 'a=b,c=ü'),
})
const text = fc.string({ unit: 'binary', maxLength: 2_000 })
const values = fc.record({
  string: text,
  'long-string': text,
  int: fc.maxSafeInteger(),
  double: fc.double(),
  bool: fc.boolean(),
  strings: fc.array(text, { maxLength: 3 }),
})
const plainSpan = fc.record({
  name: text,
  kind: fc.constantFrom('server', 'client', 'producer', 'consumer'),
  parentId: fc.option(hex(16)),
  startMs: fc.double({ min: 1, max: 4e12, noNaN: true }),
  endMs: fc.double({ min: 1, max: 4e12, noNaN: true }),
  status: fc.oneof(fc.constant(null), fc.constant('ok' as const), fc.record({ error: text })),
  link: fc.option(context),
})

function spanIn(format: OtlpFormat, about: Omit<Span, 'attributes'>, named: Record<string, unknown>): string {
  const list = new AttributeList(format)
  for (const type of ['string', 'long-string', 'int', 'double', 'bool', 'strings'] as const)
    list.add(attribute(type, `a.${type}.ü`), named[type] as string)
  return format.span({ ...about, attributes: list })
}

function bodyOf(format: OtlpFormat, all: readonly string[], what: 'packSpans' | 'packMetrics'): Buffer {
  const { separator, charset, wrap } = format[what](ENVELOPE)
  return wrap(Buffer.from(all.join(separator), charset))
}

/** What OpenTelemetry's decoder reads from each encoding, without what protobuf does not transport. */
function bothRead(path: string, what: 'packSpans' | 'packMetrics', encode: (format: OtlpFormat) => string[]) {
  const json = JSON.parse(bodyOf(JSON_FORMAT, encode(JSON_FORMAT), what).toString()) as object
  checkOtlp(path, json)
  const protobuf = decodeOtlp(path, bodyOf(PROTOBUF_FORMAT, encode(PROTOBUF_FORMAT), what))
  checkOtlp(path, protobuf)
  return { json: simplified(json), protobuf: simplified(protobuf) }
}

/** `-0` and `0`, and lists and texts that are empty and those that are absent. */
function simplified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplified)
  if (typeof value === 'number') return value + 0
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, one]) => [name, simplified(one)] as const)
  return Object.fromEntries(members.filter(([, one]) => one !== '' && !(Array.isArray(one) && one.length === 0)))
}

test('spans mean the same in JSON and in protobuf', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(plainSpan, context, values), { maxLength: 3 }), (all) => {
      const { json, protobuf } = bothRead('/v1/traces', 'packSpans', (format) =>
        all.map(([about, own, named]) => spanIn(format, { ...about, ...own }, named)),
      )
      assert.deepEqual(protobuf, json)
    }),
    { numRuns: 60 },
  )
})

test('metrics mean the same in JSON and in protobuf', () => {
  const families: MetricFamily[] = [
    family('counter', [{ values: ['a', ''], value: 3 }]),
    family('gauge', [
      { values: ['ü', 'b'], value: -1.5 },
      { values: ['x', 'y'], value: 0 },
    ]),
    family('histogram', [
      {
        values: ['a', 'b'],
        spread: { bounds: [0.1, 1, 1e6], buckets: [1, 0, 2 ** 40], sum: 3.25, count: 2 ** 40 + 9 },
      },
    ]),
    family('counter', []),
  ]
  const encode = (format: OtlpFormat) => families.flatMap((one) => format.metric(one, WINDOW) ?? [])
  const { json, protobuf } = bothRead('/v1/metrics', 'packMetrics', encode)
  assert.deepEqual(protobuf, json)
  assert.equal(encode(PROTOBUF_FORMAT).length, 3)
})

function family(type: MetricFamily['type'], points: ReturnType<MetricFamily['points']>): MetricFamily {
  return {
    name: `gatehouse_${type}`,
    help: `Häufig: ${type}`,
    unit: 's',
    type,
    labels: ['one', 'other'],
    points: () => points,
  }
}

test('a batch that was taken in part is read from both encodings, and what is no answer says nothing', () => {
  const partial = { rejectedSpans: 2, errorMessage: 'too öld' }
  assert.deepEqual(PROTOBUF_FORMAT.rejectedIn(encodeAnswer('/v1/traces', partial)), { count: 2, message: 'too öld' })
  const points = encodeAnswer('/v1/metrics', { rejectedDataPoints: 7 })
  assert.deepEqual(PROTOBUF_FORMAT.rejectedIn(points), { count: 7, message: '' })
  assert.equal(PROTOBUF_FORMAT.rejectedIn(encodeAnswer('/v1/traces', { errorMessage: 'a hint' })), undefined)
  assert.equal(PROTOBUF_FORMAT.rejectedIn(encodeAnswer('/v1/traces', { rejectedSpans: -3 })), undefined)
  for (const format of [JSON_FORMAT, PROTOBUF_FORMAT])
    for (const odd of ['', '{}', 'null', '<html>', '\u0000\u0001', '\n\u00ff\u00ff\u00ff\u00ff\u007f'])
      assert.equal(format.rejectedIn(Buffer.from(odd, 'latin1')), undefined, odd)
})

test('any bytes are read as a message or refused, without an end that never comes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        for (const { field, bytes: content } of readMessage(bytes))
          assert.ok(field > 0 && content.length <= bytes.length)
      } catch (error) {
        assert.ok(error instanceof RangeError)
      }
    }),
    { numRuns: 500 },
  )
})

test('numbers are read as they were written', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const written = Buffer.from(varint(0x08) + int64(value), 'latin1')
      assert.deepEqual(readMessage(written), [{ field: 1, number: value, bytes: new Uint8Array(), raw: written }])
    }),
  )
})
