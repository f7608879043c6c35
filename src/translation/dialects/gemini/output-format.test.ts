import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { Target } from '../chat-codec.ts'
import { lowerSchema } from './json-schema.ts'
import { encode } from './request.ts'

const TARGET: Target = { baseUrl: 'https://studio.test/v1beta', model: 'm' }
const schema = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
}
const asSchema = { type: 'json_schema', json_schema: { name: 'person', strict: true, schema } }
const tools = [{ type: 'function', function: { name: 'time' } }]
const lacking = (...lacks: NonNullable<NonNullable<Target['traits']>['lacks']>): Target => ({
  ...TARGET,
  traits: { lacks },
})

describe('the format of an answer', () => {
  test('text, any JSON, JSON of a schema', () => {
    assert.equal(encoded({ response_format: { type: 'text' } }).body.generationConfig, undefined)
    assert.deepEqual(encoded({ response_format: { type: 'json_object' } }).body.generationConfig, {
      responseMimeType: 'application/json',
    })
    const { body, notes } = encoded({ response_format: asSchema })
    assert.deepEqual(body.generationConfig, { responseMimeType: 'application/json', responseJsonSchema: schema })
    assert.deepEqual(notes, [])
  })

  test('keywords that are not enforced are noted', () => {
    const narrow = { type: 'object', properties: { name: { type: 'string', pattern: '^A', minLength: 1 } } }
    const { body, notes } = encoded({ response_format: { type: 'json_schema', json_schema: { schema: narrow } } })
    assert.deepEqual(body.generationConfig.responseJsonSchema, {
      type: 'object',
      properties: { name: { type: 'string' } },
    })
    assert.match(notes[0]!.reason, /pattern, minLength/)
  })

  test('a model without schemas is instructed in words', () => {
    const { body, notes } = encoded({ response_format: asSchema }, lacking('json_schema'))
    assert.deepEqual(body.generationConfig, { responseMimeType: 'application/json' })
    assert.ok(body.systemInstruction.parts[0].text.endsWith(JSON.stringify(schema)))
    assert.equal(notes[0]?.field, 'response_format')
  })

  test('together with tools: unchanged, in words, or dropped if a call is required', () => {
    const request = { response_format: asSchema, tools }
    assert.ok(encoded(request).body.generationConfig.responseJsonSchema)
    const { body } = encoded(request, lacking('json_schema_with_tools'))
    assert.equal(body.generationConfig, undefined)
    assert.match(body.systemInstruction.parts[0].text, /JSON schema/)
    const any = encoded({ response_format: { type: 'json_object' }, tools }, lacking('json_schema_with_tools')).body
    assert.match(any.systemInstruction.parts[0].text, /one JSON object/)
    const demanded = encoded({ ...request, tool_choice: 'required' })
    assert.equal(demanded.body.generationConfig, undefined)
    assert.equal(demanded.notes[0]?.action, 'dropped')
  })

  test('formats of others are left out, with a note', () => {
    assert.deepEqual(
      encoded({ response_format: { type: 'grammar' } }).notes.map(({ action }) => action),
      ['dropped'],
    )
    const { body, notes } = encoded({ response_format: { type: 'json_schema' } })
    assert.deepEqual(body.generationConfig, { responseMimeType: 'application/json' })
    assert.deepEqual(
      notes.map(({ action }) => action),
      ['translated'],
    )
  })
})

describe('a schema in the subset of Google', () => {
  test('stays the same object where nothing changes', () => {
    assert.equal(lowerSchema(schema, new Set()), schema)
  })

  test('says the same with the words that Google knows', () => {
    const lost = new Set<string>()
    const options = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      definitions: { city: { const: 'Oslo' } },
      type: 'object',
      properties: {
        pattern: { $ref: '#/definitions/city', description: 'A property may have any name.' },
        age: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
        size: { type: 'number', exclusiveMinimum: 0 },
        nick: { type: 'string', nullable: true, default: 'x' },
        kind: { anyOf: [{ const: null }, { const: true }, { const: 3 }] },
        both: {
          allOf: [
            { properties: { a: {} }, required: ['a'] },
            { properties: { b: {} }, required: ['b'] },
          ],
        },
        one: { allOf: [{ $ref: '#/definitions/city' }], title: 'Wrapped, as some libraries do' },
      },
    }
    const before = JSON.stringify(options)
    assert.deepEqual(lowerSchema(options, lost), {
      $defs: { city: { enum: ['Oslo'] } },
      type: 'object',
      properties: {
        pattern: { $ref: '#/$defs/city' },
        age: { type: 'integer', minimum: 1, maximum: 9 },
        size: { type: 'number', minimum: 0 },
        nick: { type: ['string', 'null'] },
        kind: { anyOf: [{ type: 'null' }, { type: 'boolean' }, { enum: [3] }] },
        both: { properties: { a: {}, b: {} }, required: ['a', 'b'] },
        one: { $ref: '#/$defs/city' },
      },
    })
    assert.deepEqual([...lost], [])
    assert.equal(JSON.stringify(options), before)
  })

  test('keywords without a synonym are collected', () => {
    const lost = new Set<string>()
    const options = { type: 'array', uniqueItems: true, items: { enum: ['a', null], not: {} } }
    assert.deepEqual(lowerSchema(options, lost), { type: 'array', items: { enum: ['a'] } })
    assert.deepEqual([...lost].toSorted(), ['enum', 'not', 'uniqueItems'])
  })
})

function encoded(fields: Partial<ChatRequest>, target: Target = TARGET) {
  const request = { model: 'google/m', messages: [{ role: 'user' as const, content: 'Hi' }], ...fields }
  const { wire, notes } = encode({ request }, target)
  return { body: JSON.parse(String(wire.body)), notes }
}
