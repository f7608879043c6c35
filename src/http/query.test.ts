import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closed, uuid, words } from '../base/schema/fields.ts'
import Type, { type TSchema } from '../base/schema/type.ts'
import { PAGE, queryReader, readTime } from './query.ts'

const INTEGER = 'Input should be a valid integer'
const NUMBER = 'Input should be a valid number'
const NO_DATE = 'Input should be a valid date, such as 2026-11-15 or 2026-11-15T08:00:00Z'
const LIMIT = Type.Integer({ minimum: 1, maximum: 1_000 })

test('a query is read with the types of its schema, and what it does not say is left out', () => {
  const read = queryReader(
    Type.Object({
      limit: Type.Optional(LIMIT),
      page: Type.Optional(PAGE),
      min_cost: Type.Optional(Type.Number()),
      content: Type.Optional(Type.Boolean()),
      by: Type.Optional(words(['a', 'b'])),
      name: Type.Optional(Type.String({ maxLength: 2 })),
      key: Type.Optional(uuid('A key.')),
      include: Type.Optional(Type.Array(words(['x', 'y']))),
    }),
  )
  const key = '0190163d-8694-739b-aea5-966c26f8ad91'
  assert.deepEqual(read({}), {})
  assert.deepEqual(read({ limit: '1', page: '7', min_cost: '0.5', content: 'true', by: 'b', name: '😀b', key }), {
    limit: 1,
    page: 7,
    min_cost: 0.5,
    content: true,
    by: 'b',
    name: '😀b',
    key,
  })
  assert.deepEqual(read({ content: 'false', limit: '1000', other: 'x' }), { content: false, limit: 1_000 })
  for (const query of [{ include: 'x' }, { include: ['x'] }, { 'include[]': 'x' }, { 'include[]': ['x'] }])
    assert.deepEqual(read(query), { include: ['x'] })
  assert.deepEqual(read({ include: ['x', 'y'] }), { include: ['x', 'y'] })
})

test('a moment is ISO 8601 or a number of milliseconds', () => {
  assert.deepEqual([readTime('to', undefined), readTime('to', '1970-01-01T00:00:01Z')], [undefined, 1_000])
  assert.equal(readTime('to', '5'), 5)
})

test('what it should not say is refused in the words of bodies', () => {
  refuses({ limit: LIMIT }, '0', 'greater_than_equal', 'Input should be greater than or equal to 1')
  refuses({ limit: LIMIT }, '1001', 'less_than_equal', 'Input should be less than or equal to 1000')
  for (const text of ['', 'x', '1.5', '1e999']) refuses({ page: PAGE }, text, 'int_type', INTEGER)
  for (const text of ['', '-1', '1e3']) refuses({ cost: Type.Number() }, text, 'float_type', NUMBER)
  refuses({ by: words(['a', 'b', 'c']) }, 'd', 'literal_error', "Input should be 'a', 'b' or 'c'")
  refuses({ content: Type.Boolean() }, '1', 'literal_error', "Input should be 'true' or 'false'")
  refuses({ include: Type.Array(words(['a', 'b'])) }, ['a', 'c'], 'literal_error', "Input should be 'a' or 'b'")
  const name = Type.String({ maxLength: 2 })
  refuses({ name }, 'abc', 'string_too_long', 'String should have at most 2 characters')
  refuses({ name: Type.String() }, 'a'.repeat(301), 'string_too_long', 'String should have at most 300 characters')
  for (const schema of [name, LIMIT, words(['a']), uuid(''), Type.Boolean(), Type.Number()])
    refuses({ name: schema }, ['a', 'b'], 'string_type', 'Input should be a valid string')
  for (const text of ['soon', '253402300800000'])
    refused(() => readTime('to', text), { loc: ['query', 'to'], msg: NO_DATE, type: 'value_error' })
})

test('other names are refused only if the schema is closed', () => {
  const properties = { a: Type.Optional(Type.String()) }
  assert.deepEqual(queryReader(Type.Object(properties))({ a: 'x', b: 'y' }), { a: 'x' })
  refused(() => queryReader(Type.Object(properties, closed))({ b: 'y' }), {
    loc: ['query', 'b'],
    msg: 'Extra inputs are not permitted',
    type: 'extra_forbidden',
  })
})

test('a schema that no query can have is refused when the route is made', () => {
  assert.throws(() => queryReader(Type.Object({ a: Type.Object({}) })), TypeError)
})

function refuses(properties: Record<string, TSchema>, value: unknown, type: string, msg: string): void {
  const [name] = Object.keys(properties)
  refused(() => queryReader(Type.Object(properties))({ [name!]: value }), { loc: ['query', name!], msg, type })
}

function refused(read: () => unknown, issue: { loc: string[]; msg: string; type: string }): void {
  assert.throws(read, (error: { details: { detail: unknown } }) => {
    assert.deepEqual(error.details.detail, [issue])
    return true
  })
}
