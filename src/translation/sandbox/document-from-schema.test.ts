import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Check } from 'typebox/schema'
import { documentFromSchema } from './document-from-schema.ts'
import { sample } from '../../../test/soak/sample.ts'

const TEXT = 'What is the weather in Oslo?'

const CASES: Record<string, [schema: object | boolean, document: unknown]> = {
  'required members only': [
    { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['b'] },
    { b: TEXT },
  ],
  'nested objects': [
    object({ inner: object({ count: { type: 'integer' }, ok: { type: 'boolean' }, none: { type: 'null' } }) }),
    { inner: { count: 0, ok: false, none: null } },
  ],
  'the first of an enum': [object({ unit: { type: 'string', enum: ['C', 'F'] } }), { unit: 'C' }],
  constants: [object({ kind: { const: 'city' }, nothing: { const: null } }), { kind: 'city', nothing: null }],
  'an optional array': [{ type: 'array', items: { type: 'string' } }, []],
  'as many items as asked': [{ type: 'array', items: { type: 'integer', minimum: 3 }, minItems: 2 }, [3, 3]],
  tuples: [{ type: 'array', prefixItems: [{ type: 'integer' }, { type: 'null' }], minItems: 2 }, [0, null]],
  'the first of several types': [object({ name: { type: ['string', 'null'] } }), { name: TEXT }],
  'no type, but properties': [{ properties: { a: { type: 'integer' } }, required: ['a'] }, { a: 0 }],
  'no type, but a bound': [{ minimum: 2 }, 2],
  'required but not described': [{ type: 'object', required: ['a'] }, { a: TEXT }],
  'as many properties as asked': [
    {
      type: 'object',
      properties: { a: { type: 'integer' } },
      minProperties: 2,
      additionalProperties: { type: 'null' },
    },
    { a: 0, property_1: null },
  ],
  'the first branch that can be': [{ anyOf: [false, { type: 'integer' }, { type: 'string' }] }, 0],
  'a branch with shared members': [
    { type: 'object', properties: { a: { type: 'null' } }, required: ['a'], oneOf: [object({ b: { const: 1 } })] },
    { a: null, b: 1 },
  ],
  'all of several': [
    { allOf: [object({ a: { type: 'null' } }), object({ b: { type: 'null' } })] },
    { a: null, b: null },
  ],
  references: [{ ...object({ at: { $ref: '#/$defs/a~1b' } }), $defs: { 'a/b': { type: 'integer' } } }, { at: 0 }],
  'a reference used by two parts': [
    {
      allOf: [{ $ref: '#/$defs/base' }, { $ref: '#/$defs/more' }],
      $defs: {
        base: object({ id: { const: 1 } }),
        more: { allOf: [{ $ref: '#/$defs/base' }, object({ x: { const: 2 } })] },
      },
    },
    { id: 1, x: 2 },
  ],
  'recursion that may end': [
    { ...object({ next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }), $defs: { node: { $ref: '#' } } },
    { next: null },
  ],
  'an exclusive minimum': [{ type: 'integer', exclusiveMinimum: 3 }, 4],
  'multiples above a minimum': [{ type: 'number', minimum: 7, multipleOf: 5 }, 10],
  'a fraction between two bounds': [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
  'a maximum below zero': [{ type: 'integer', maximum: -2 }, -2],
  'a format': [{ type: 'string', format: 'date' }, '2026-01-01'],
  'a pattern': [{ type: 'string', pattern: '^[A-Z]{2}-\\d+$' }, 'AA-0'],
  'a pattern too hard to read': [{ type: 'string', pattern: '^(?=a)' }, TEXT],
  'a longest length': [{ type: 'string', maxLength: 4 }, 'What'],
  'a least length': [{ type: 'string', minLength: 30 }, `${TEXT}..`],
  anything: [true, TEXT],
}

for (const [name, [schema, document]] of Object.entries(CASES)) {
  test(`satisfies ${name}`, () => {
    assert.deepEqual(documentFromSchema(schema, TEXT), document)
  })
}

test('lengths are counted in whole characters', () => {
  assert.equal(documentFromSchema({ type: 'string', maxLength: 2 }, '👋👋👋'), '👋👋')
})

test('what nothing satisfies, or would take for ever, ends at once as an empty object', () => {
  const endless = { ...object({ next: { $ref: '#' } }) }
  const doubling = Object.fromEntries(
    Array.from({ length: 50 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` }
      return [`d${level}`, { allOf: [next, next], anyOf: [next, next] }]
    }),
  )
  const impossible: unknown[] = [
    false,
    endless,
    { type: 'integer', minimum: 3, maximum: 2 },
    { type: 'number', exclusiveMinimum: 1, maximum: 1 },
    { type: 'array', items: { type: 'null' }, minItems: 1e12 },
    { type: 'array', items: { type: 'array', items: true, minItems: 1e4 }, minItems: 1e4 },
    { type: 'object', minProperties: 1e12, additionalProperties: { $ref: '#/nowhere' } },
    { type: 'string', minLength: 1e12 },
    { $ref: 'https://example.com/schema' },
    { $ref: '#/$defs/d0', $defs: doubling },
  ]
  for (const schema of impossible) assert.deepEqual(documentFromSchema(schema, TEXT), {})
})

test('a schema that is large at every step is left before it costs much', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}]))
  const nowhere = Array.from({ length: 20_000 }, () => ({ $ref: '#/nowhere' }))
  const merging = Array.from({ length: 20_000 }, () => ({ properties: { p0: false }, required: ['p0'] }))
  const patterns = { type: 'array', minItems: 20_000, items: { type: 'string', pattern: '[\u024f]'.repeat(100) } }
  const hostile = [
    { ...many, anyOf: nowhere },
    { type: 'object', properties: many, anyOf: merging },
    { type: 'object', required: Object.keys(many), anyOf: merging },
    { type: 'array', minItems: 20_000, items: { type: 'object', properties: many, minProperties: 1 } },
    { anyOf: Array.from({ length: 20_000 }, () => ({ $ref: `#/${'%41'.repeat(10_000)}` })) },
    patterns,
  ]
  for (const schema of hostile) assert.deepEqual(documentFromSchema(schema, TEXT), {})
})

test('a hostile member name stays a member', () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}')
  const document = documentFromSchema(schema, TEXT) as object
  assert.deepEqual(Object.entries(document), [['__proto__', 0]])
})

test('whatever the schema, the document satisfies it', () => {
  fc.assert(
    fc.property(schemas(), fc.string({ maxLength: 40 }), (schema, text) => {
      assert.ok(Check(schema, documentFromSchema(schema, text)))
    }),
    { numRuns: sample(100, 500) },
  )
})

function object(properties: Record<string, object>) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function schemas(): fc.Arbitrary<object> {
  const name = fc.constantFrom('a', 'b', 'c')
  const small = fc.integer({ min: -9, max: 9 })
  return fc.letrec<{ any: object }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.record({ type: fc.constantFrom('boolean', 'null', 'string') }),
      fc.record({ enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }) }),
      small.chain((least) => numberSchemas(least)),
      fc.nat(6).map((least) => ({ type: 'string', minLength: least, maxLength: least + 2 })),
      fc
        .constantFrom('date-time', 'date', 'email', 'ipv4', 'uuid', 'uri')
        .map((format) => ({ type: 'string', format })),
      fc.record({ type: fc.constant('array'), items: tie('any'), minItems: fc.nat(2) }),
      fc.record({ anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(name, tie('any'), { maxKeys: 3 }),
        required: fc.uniqueArray(name, { maxLength: 2 }),
        minProperties: fc.nat(3),
      }),
    ),
  })).any
}

function numberSchemas(least: number): fc.Arbitrary<object> {
  return fc.record(
    {
      type: fc.constantFrom('integer', 'number'),
      minimum: fc.constant(least),
      exclusiveMinimum: fc.constant(least - 1),
      maximum: fc.constant(least + 4),
      exclusiveMaximum: fc.constant(least + 5),
      multipleOf: fc.constantFrom(1, 2, 3),
    },
    { requiredKeys: ['type'] },
  )
}
