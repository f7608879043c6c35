import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encoded } from './fixtures/encoded.ts'
import { lowerSchema } from './lower-schema.ts'

const SCHEMA = { type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['age'] }
const WANTED = { type: 'json_schema', json_schema: { name: 'person', schema: SCHEMA, strict: true } }
const TOOLS = [{ type: 'function', function: { name: 'a' } }]

describe('response_format', () => {
  test('a schema is enforced as far as possible, and the rest is noted', () => {
    const { body, notes } = encoded({ response_format: WANTED, reasoning_effort: 'low' })
    assert.deepEqual(body.output_config, {
      effort: 'low',
      format: {
        type: 'json_schema',
        schema: {
          ...SCHEMA,
          properties: { age: { type: 'integer', description: '(minimum: 0)' } },
          additionalProperties: false,
        },
      },
    })
    assert.deepEqual(notes, [
      { field: 'response_format', action: 'translated', reason: 'moved to descriptions: minimum' },
    ])
  })

  test('a model without schemas has to call a tool with the answer', () => {
    const { body, noted } = encoded({ response_format: WANTED }, { lacks: ['json_schema'] })
    assert.deepEqual(body.tool_choice, { type: 'tool', name: 'gatehouse_json_answer' })
    assert.partialDeepStrictEqual(body.tools, [{ name: 'gatehouse_json_answer', input_schema: SCHEMA }])
    assert.deepEqual([body.output_config, noted], [undefined, ['translated response_format']])
  })

  test('if no tool can be forced, the model is instructed in words', () => {
    const lacks = ['json_schema'] as const
    for (const { body, noted } of [
      encoded({ response_format: WANTED, tools: TOOLS }, { lacks }),
      encoded({ response_format: WANTED }, { lacks, refuses: ['tool_choice'] }),
      encoded({ response_format: WANTED, tools: TOOLS }, { lacks: ['json_schema_with_tools'] }),
    ]) {
      assert.match(String(body.system), /JSON schema: \{"type":"object"/)
      assert.deepEqual([body.tool_choice, noted], [undefined, ['translated response_format']])
    }
  })

  test('a JSON object is requested in words, after the system text of the caller', () => {
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Hi' },
    ]
    const { body, noted } = encoded({ messages, response_format: { type: 'json_object' } })
    assert.match(String(body.system), /^Be brief\.\n\nAnswer with one JSON object/)
    assert.deepEqual(noted, ['translated response_format'])
  })

  test('text is the default, and an unknown format is noted', () => {
    assert.deepEqual(encoded({ response_format: { type: 'text' } }).noted, [])
    assert.deepEqual(encoded({ response_format: { type: 'grammar' } }).noted, ['dropped response_format'])
  })

  test("an output_config of the caller's own is joined with ours", () => {
    const { body } = encoded({ response_format: WANTED, output_config: { effort: 'max' } })
    assert.partialDeepStrictEqual(body.output_config, { effort: 'max', format: { type: 'json_schema' } })
  })
})

describe('lowering a schema', () => {
  test('objects are closed at every depth, oneOf is anyOf, known formats stay', () => {
    const { schema, weakened } = lowerSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date' },
        code: { type: 'string', format: 'zip', description: 'A code.', default: 'x' },
        list: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'object', additionalProperties: true } },
        either: { oneOf: [{ type: 'string', minLength: 2 }, { $ref: '#/definitions/leaf' }] },
      },
      definitions: { leaf: { type: ['object', 'null'], properties: {} } },
    })
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date' },
        code: { type: 'string', description: 'A code. (format: "zip", default: "x")' },
        list: {
          type: 'array',
          minItems: 1,
          items: { type: 'object', additionalProperties: false },
          description: '(maxItems: 3)',
        },
        either: { anyOf: [{ type: 'string', description: '(minLength: 2)' }, { $ref: '#/$defs/leaf' }] },
      },
      $defs: { leaf: { type: ['object', 'null'], properties: {}, additionalProperties: false } },
      additionalProperties: false,
    })
    assert.deepEqual(weakened.sort(), ['additionalProperties', 'format', 'maxItems', 'minLength'])
  })

  test('a schema that refers to itself, or leaves too much open, is not accepted', () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    }
    assert.equal(lowerSchema(tree).isAccepted, false)
    const shared = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], $defs: { a: { type: 'string' } } }
    assert.equal(lowerSchema(shared).isAccepted, true)
    const wide = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`p${at}`, { type: 'string' }]))
    assert.equal(lowerSchema({ type: 'object', properties: wide }).isAccepted, false)
    assert.equal(lowerSchema({ type: 'object', properties: wide, required: ['p0'] }).isAccepted, true)
  })
})
