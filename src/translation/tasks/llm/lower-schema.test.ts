import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from '../../../base/schema/type.ts'
import { freeObject, mapOf, nullable, optional, words } from '../../../base/schema/fields.ts'
import { FEATURES } from '../index.ts'
import { isLlmTask, llmTaskOf } from './llm-tasks.ts'
import { type Lowered, lowerSchema } from './lower-schema.ts'

// What strict mode takes at most.
const MAX_PROPERTIES = 5_000
const DEEPEST = 10
const KEYWORDS = ['type', 'description', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'anyOf']

test('bounds, formats, defaults and missing fields are lowered away', () => {
  const schema = Type.Object({
    name: Type.String({ minLength: 1, maxLength: 9, format: 'uuid', description: 'A name.' }),
    score: Type.Number({ minimum: 0, maximum: 1 }),
    kind: words(['a', 'b'], { default: 'a' }),
    fixed: Type.Literal('x'),
    maybe: nullable(Type.Integer(), 'Perhaps.'),
    left_out: optional(Type.Boolean(), 'Or not.'),
    also: Type.Optional(Type.String({ description: 'A text.' })),
    list: Type.Array(Type.Object({ x: Type.Number() }), { minItems: 1 }),
  })
  assert.deepEqual(lowerSchema(schema), {
    strict: true,
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'A name.' },
        score: { type: 'number' },
        kind: { type: 'string', enum: ['a', 'b'] },
        fixed: { type: 'string', enum: ['x'] },
        maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'Perhaps.' },
        left_out: { anyOf: [{ type: 'boolean' }, { type: 'null' }], description: 'Or not.' },
        also: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'A text.' },
        list: {
          type: 'array',
          items: {
            type: 'object',
            properties: { x: { type: 'number' } },
            required: ['x'],
            additionalProperties: false,
          },
        },
      },
      required: ['name', 'score', 'kind', 'fixed', 'maybe', 'left_out', 'also', 'list'],
      additionalProperties: false,
    },
  })
})

test('an object whose keys are not known cannot be strict', () => {
  for (const open of [freeObject(), mapOf(Type.Number()), Type.Unknown()]) {
    assert.equal(lowerSchema(Type.Object({ open })).strict, false)
    assert.equal(lowerSchema(Type.Object({ list: Type.Array(nullable(open, '')) })).strict, false)
  }
})

test('what models are asked for is strict, and within the limits of strict mode', () => {
  const tasks = FEATURES.filter(isLlmTask)
  assert.equal(tasks.length, 21)
  for (const feature of tasks) {
    const { schema, strict } = lowerSchema(llmTaskOf(feature).answerSchema)
    assert.ok(strict, feature.fullname)
    const all = everyOne(schema)
    for (const one of all) {
      assert.deepEqual(
        Object.keys(one).filter((key) => !KEYWORDS.includes(key)),
        [],
      )
      assert.deepEqual(one.required, one.properties && Object.keys(one.properties))
      assert.equal(one.additionalProperties, one.properties ? false : undefined)
    }
    assert.ok(all.reduce((sum, { properties = {} }) => sum + Object.keys(properties).length, 0) <= MAX_PROPERTIES)
    assert.ok(depthOf(schema) <= DEEPEST, feature.fullname)
  }
})

function everyOne(schema: Lowered): Lowered[] {
  return [schema, ...childrenOf(schema).flatMap(everyOne)]
}

function depthOf(schema: Lowered): number {
  const own = schema.type === 'object' || schema.type === 'array' ? 1 : 0
  return own + Math.max(0, ...childrenOf(schema).map(depthOf))
}

function childrenOf({ properties = {}, items, anyOf = [] }: Lowered): Lowered[] {
  return [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
}
