import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirroredIn, paramHeaders, withoutMarks } from './param-headers.ts'

const string = (header: unknown) => ({ type: 'string', 'x-mcp-header': header })
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

test('marked arguments are headers, at whatever depth properties lead to them', () => {
  const schema = object({
    region: string('Region'),
    limits: object({ rows: { type: 'integer', 'x-mcp-header': 'Rows' } }),
    confirm: { type: 'boolean', 'x-mcp-header': 'Confirm' },
    absent: string('Absent'),
    none: string('None'),
    query: { type: 'string' },
  })
  const input = { region: 'Zürich', limits: { rows: -7 }, confirm: false, none: null, query: 'SELECT 1' }
  assert.deepEqual(paramHeaders(mirroredIn(schema)!, input), {
    'mcp-param-region': '=?base64?WsO8cmljaA==?=',
    'mcp-param-rows': '-7',
    'mcp-param-confirm': 'false',
  })
})

test('what is no text, integer or truth value in an argument is no header', () => {
  const schema = object({ region: string('Region') })
  for (const region of [{}, [], 1.5, 2 ** 60, undefined])
    assert.deepEqual(paramHeaders(mirroredIn(schema)!, { region }), {})
  assert.deepEqual(paramHeaders(mirroredIn(object({ constructor: string('A') }))!, {}), {})
})

test('a mark that the protocol does not allow is told from one that it allows', () => {
  const good = string('Region')
  const wrong = [
    object({ a: string('') }),
    object({ a: string('with space') }),
    object({ a: string('line\r\nbreak') }),
    object({ a: string(7) }),
    object({ a: { type: 'number', 'x-mcp-header': 'A' } }),
    object({ a: { type: 'object', 'x-mcp-header': 'A' } }),
    object({ a: string('Same'), b: string('same') }),
    object({ list: { type: 'array', items: object({ a: good }) } }),
    object({}, { allOf: [object({ a: good })] }),
    object({}, { $defs: { a: good } }),
    { ...object({}), 'x-mcp-header': 'A' },
  ]
  for (const schema of wrong) assert.equal(mirroredIn(schema), undefined, JSON.stringify(schema))
  const right = [
    object({ a: good }),
    object({ 'x-mcp-header': { type: 'string' } }),
    object({ a: { type: 'object', default: { 'x-mcp-header': 1 } } }),
  ]
  for (const schema of right) assert.ok(mirroredIn(schema), JSON.stringify(schema))
})

test('a schema without its marks is otherwise the same', () => {
  const schema = object({ a: string('A'), 'x-mcp-header': object({ b: string('B') }) }, { required: ['a'] })
  const plain = object(
    { a: { type: 'string' }, 'x-mcp-header': object({ b: { type: 'string' } }) },
    { required: ['a'] },
  )
  assert.deepEqual(withoutMarks(schema), plain)
})
