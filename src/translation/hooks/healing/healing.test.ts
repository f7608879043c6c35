import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Schema from 'typebox/schema'
import { StepBudget } from '../step-budget.ts'
import * as checking from './check-value.ts'
import * as healing from './heal-json.ts'
import { bareSchema, schemaIssues } from './read-schema.ts'
import { sample } from '../../../../test/soak/sample.ts'

const healJson = (text: string) => healing.healJson(text, new StepBudget(100_000_000))
const valueIssues = (schema: unknown, value: unknown) => {
  return checking.valueIssues(schema, value, new StepBudget(1_000_000))
}

const HEALED: [written: string, meant: unknown][] = [
  ['```json\n{"a": 1}\n```', { a: 1 }],
  ['Sure! Here it is:\n```\n{"a": [1, 2]}\n```\nAnything else?', { a: [1, 2] }],
  ['<think>{"no": 1}</think>{"a": 1}', { a: 1 }],
  ['The answer is {"a": 1}. Hope it helps {x}', { a: 1 }],
  ['Use {braces} like so: {"a": true}', { a: true }],
  ["{'a': 'it\\'s', b: None, c: True, }", { a: "it's", b: null, c: true }],
  ['{"a": "line\nbreak", "b": "tab\there"}', { a: 'line\nbreak', b: 'tab\there' }],
  ['{"a": "she said "hi" twice"}', { a: 'she said "hi" twice' }],
  ['{"a": 1 "b": 2}', { a: 1, b: 2 }],
  ['{"a": 1,, "b": [1,,2,]}', { a: 1, b: [1, 2] }],
  ['{"a": [1, 2, {"b": "cut o', { a: [1, 2, { b: 'cut o' }] }],
  ['{"a": 1, "b"', { a: 1 }],
  ['{"a": 1, "b":', { a: 1 }],
  ['{ // why\n "a": 1, /* and */ "b": 2 }', { a: 1, b: 2 }],
  ['{"a": .5, "b": 1., "c": 007, "d": +3, "e": -0.50}', { a: 0.5, b: 1, c: 7, d: 3, e: -0.5 }],
  ['{"path": "C:\\dir"}', { path: 'C:\\dir' }],
  ['{“a”: “b”}', { a: 'b' }],
  ['{name: Ada Lovelace, url: http://x.example/y}', { name: 'Ada Lovelace', url: 'http://x.example/y' }],
  ['["a"\n"b"]', ['a', 'b']],
  ['{"a": 1, /* cut', { a: 1 }],
  ["{'a': '😀 \\n\\u00e9'}", { a: '😀 \né' }],
]

for (const [written, intended] of HEALED) {
  test(`mends ${JSON.stringify(written)}`, () => assert.deepEqual(JSON.parse(healJson(written) ?? 'null'), intended))
}

test('valid JSON stays unchanged; long numbers keep their digits when the rest is repaired', () => {
  const text = '{ "id" : 12345678901234567890, "x": 1.10 }'
  assert.equal(healJson(`  ${text}\n`), text)
  assert.equal(healJson("{'id': 12345678901234567890}"), '{"id":12345678901234567890}')
})

test('words, half a bracket or a thousand brackets cannot be repaired', () => {
  for (const text of ['', 'no json here', '}', '<think>', '```', '[[[[', '['.repeat(1_000), '{"a"}', '{:}']) {
    const healed = healJson(text)
    assert.ok(healed === undefined || JSON.parse(healed) !== undefined, text)
  }
  assert.equal(healJson('just words'), undefined)
})

test('any input gives JSON or nothing; JSON comes out unchanged', () => {
  const soup = fc.string({
    unit: fc.constantFrom('{', '}', '[', ']', '"', "'", ',', ':', '1', 'a', '\\', '\n', ' ', '/', '*', '`'),
  })
  fc.assert(
    fc.property(soup, (text) => {
      const healed = healJson(text)
      if (healed !== undefined) JSON.parse(healed)
    }),
    { numRuns: sample(80, 3_000) },
  )
  fc.assert(fc.property(fc.json(), (text) => assert.equal(healJson(text), text.trim())))
})

test('long hostile answers take time proportional to their length', () => {
  for (const part of ['"/*', '{"a', '[{', "'", '```\n', '\n', '{"a":"', '\\', '//', '<think>', '{a '])
    assert.doesNotThrow(() => healJson(`{"x": ${part.repeat(100_000)}`), part)
})

const ORDER = {
  type: 'object',
  required: ['id', 'items'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
    items: { type: 'array', minItems: 1, items: { $ref: '#/$defs/item' } },
    note: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] },
  },
  $defs: { item: { type: 'object', required: ['count'], properties: { count: { type: 'integer', minimum: 1 } } } },
}

test('reports what is wrong with a value, and where', () => {
  assert.deepEqual(schemaIssues(ORDER, []), [])
  assert.deepEqual(valueIssues(ORDER, { id: 'AB-1', items: [{ count: 2 }], note: null }), [])
  const wrong = { id: 'x', items: [{ count: 0 }, {}, { count: 1.5 }], note: 'too long', extra: 1 }
  assert.deepEqual(
    valueIssues(ORDER, wrong).map(({ loc, type }) => `${loc.join('.')} ${type}`),
    [
      'id value_error',
      'items.0.count greater_than_equal',
      'items.1.count missing',
      'items.2.count int_type',
      'note string_too_long',
      'extra extra_forbidden',
    ],
  )
})

test('agrees with another checker about any value and schema', () => {
  const leaf = fc.constantFrom<object>(
    ...[
      {},
      { type: 'string' },
      { type: 'integer' },
      { type: ['number', 'null'] },
      { enum: [1, 'a', null] },
      { const: { a: 1 } },
    ],
    ...[
      { type: 'string', minLength: 2 },
      { minimum: 0, exclusiveMaximum: 3 },
      { multipleOf: 2 },
      { pattern: '^a+$' },
      { maxItems: 1 },
    ],
    ...[{ uniqueItems: true }, { required: ['a'] }, { maxProperties: 1 }],
  )
  const { schema } = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc
        .tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf'), fc.array(tie('schema'), { minLength: 1, maxLength: 3 }))
        .map(([key, list]) => ({ [key]: list })),
      tie('schema').map((not) => ({ not })),
      tie('schema').map((items) => ({ type: 'array', items })),
      fc
        .tuple(tie('schema'), fc.oneof(fc.boolean(), tie('schema')))
        .map(([a, others]) => ({ properties: { a }, additionalProperties: others })),
    ),
  }))
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom<unknown>(1, 2, 2.5, -1, 'a', 'ab', 'aa', null, true, { a: 1 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('value')),
    ),
  }))
  fc.assert(
    fc.property(schema, value, (schema, value) => {
      assert.deepEqual(schemaIssues(schema, []), [])
      assert.equal(valueIssues(schema, value).length === 0, Schema.Check(schema as never, value))
    }),
    { numRuns: sample(80, 3_000) },
  )
})

test('a schema with parts that cannot be checked is refused, and references never leave the schema', () => {
  const loc = ['params', 'json_schema']
  const refused = {
    if: {},
    patternProperties: {},
    $ref: 'https://example.com/schema.json',
    type: 'strng',
    properties: { a: 3 },
    required: 'a',
    minimum: '1',
    pattern: '(a)\\1',
    anyOf: {},
  }
  for (const [keyword, value] of [...Object.entries(refused), ['required', [{ toString: 1 }]] as const]) {
    const [issue] = schemaIssues({ [keyword]: value }, loc)
    assert.deepEqual(issue?.loc.slice(0, 3), [...loc, keyword], keyword)
  }
})

test('checking a circular schema comes to an end', () => {
  for (const schema of [{ $ref: '#' }, { $ref: '#/nowhere' }]) assert.ok(valueIssues(schema, 1).length > 0)
  const tree = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false }
  assert.deepEqual(valueIssues(tree, { next: { next: {} } }), [])
})

test('the form of response_format is accepted as a schema too', () => {
  assert.deepEqual(bareSchema({ name: 'x', strict: true, schema: { type: 'object' } }), { type: 'object' })
  assert.deepEqual(bareSchema({ type: 'object' }), { type: 'object' })
})
