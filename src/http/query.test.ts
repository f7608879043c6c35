import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLimit, readPage, readText, readTime, readWord } from './query.ts'

const INTEGER = 'Input should be a valid integer'
const NO_DATE = 'Input should be a valid date, such as 2026-11-15 or 2026-11-15T08:00:00Z'

test('what a query says is read', () => {
  assert.deepEqual([readLimit(undefined), readLimit('1'), readLimit('1000')], [100, 1, 1_000])
  assert.deepEqual([readPage(undefined), readPage('7')], [1, 7])
  assert.deepEqual([readWord('by', undefined, ['a', 'b'], 'a'), readWord('by', 'b', ['a', 'b'], 'a')], ['a', 'b'])
  assert.deepEqual([readTime('to', undefined, 5), readTime('to', '1970-01-01T00:00:01Z', 5)], [5, 1_000])
  assert.deepEqual([readText('name', undefined, 2), readText('name', '😀b', 2)], [undefined, '😀b'])
})

test('what it should not say is refused in the words of bodies', () => {
  refuses(() => readLimit('0'), 'limit', 'greater_than_equal', 'Input should be greater than or equal to 1')
  refuses(() => readLimit('1001'), 'limit', 'less_than_equal', 'Input should be less than or equal to 1000')
  for (const text of ['', 'x', '1.5', '1e999']) refuses(() => readPage(text), 'page', 'int_type', INTEGER)
  refuses(() => readWord('by', 'd', ['a', 'b', 'c'], 'a'), 'by', 'literal_error', "Input should be 'a', 'b' or 'c'")
  for (const text of ['soon', '253402300800000']) refuses(() => readTime('to', text, 5), 'to', 'value_error', NO_DATE)
  refuses(() => readText('name', ['a', 'b'], 2), 'name', 'string_type', 'Input should be a valid string')
  refuses(() => readText('name', 'abc', 2), 'name', 'string_too_long', 'String should have at most 2 characters')
})

function refuses(read: () => unknown, name: string, type: string, msg: string): void {
  assert.throws(read, (error: { details: { detail: unknown } }) => {
    assert.deepEqual(error.details.detail, [{ loc: ['query', name], msg, type }])
    return true
  })
}
