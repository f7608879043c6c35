import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storableJson } from './storable-json.ts'

test('names and values lose what PostgreSQL cannot read, and nothing else', () => {
  const value = { 'a\0': ['\ud800b', '😀', '\\u0000', '\\\0', 'tab\t"'], plain: 1 }
  assert.deepEqual(JSON.parse(storableJson(value)), {
    'a\uFFFD': ['\uFFFDb', '😀', '\\u0000', '\\\uFFFD', 'tab\t"'],
    plain: 1,
  })
})
