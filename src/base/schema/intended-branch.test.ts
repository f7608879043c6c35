import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type, { type TSchema } from './type.ts'
import { validator } from './validator.ts'

const byUrl = Type.Object({ url: Type.String(), width: Type.Integer() })
const byId = Type.Object({ id: Type.String() })

test('null is never the intended branch', () => {
  assert.deepEqual(wrong(Type.Union([Type.Null(), Type.String()]), 5), ['string_type at '])
  assert.deepEqual(wrong(Type.Union([Type.Null()]), 5), ['value_error at '])
})

test('the JSON type distinguishes branches', () => {
  const schema = Type.Union([Type.String(), Type.Array(Type.String()), Type.Integer({ minimum: 1 })])
  assert.deepEqual(wrong(schema, ['a', 5]), ['string_type at 1'])
  assert.deepEqual(wrong(schema, 0), ['greater_than_equal at '])
  assert.deepEqual(wrong(schema, 1.5), ['int_from_float at '])
  assert.deepEqual(wrong(schema, {}), ['string_type at '])
})

test('keys distinguish branches if no literal does', () => {
  const schema = Type.Union([byUrl, byId])
  assert.deepEqual(wrong(schema, { id: 5 }), ['string_type at id'])
  assert.deepEqual(wrong(schema, { url: 'x' }), ['missing at width'])
  assert.deepEqual(wrong(schema, { id: 'x' }), [])
})

test('a value that matches another branch than the intended one has no issues', () => {
  const schema = Type.Union([byUrl, byId])
  assert.deepEqual(wrong(schema, { url: 'x', width: 'wide', id: 'x' }), [])
})

test('nested unions are searched', () => {
  const schema = Type.Union([Type.Union([Type.Integer(), Type.Boolean()]), Type.Null()])
  assert.deepEqual(wrong(schema, 1.5), ['int_from_float at '])
  assert.deepEqual(wrong(schema, true), [])
})

function wrong(schema: TSchema, value: unknown): string[] {
  const { check, issues } = validator(schema)
  const found = issues(value, [])
  assert.equal(check(value), found.length === 0)
  return found.map((issue) => `${issue.type} at ${issue.loc.join('.')}`)
}
