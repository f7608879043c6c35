import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mcpFunctionName } from './function-name.ts'

test('a name that every provider accepts stays', () => {
  assert.equal(mcpFunctionName('tickets', 'find'), 'tickets__find')
  assert.equal(mcpFunctionName('tickets', '_find__all'), 'tickets___find__all')
})

test('no two tools share a function, and every name is one that providers accept', () => {
  const long = 'x'.repeat(64)
  const tools = [
    ...[['a', 'b__c'] as const, ['a__b', 'c'] as const],
    ...[['a', '_b'] as const, ['a_', 'b'] as const],
    ...[['a', 'b.c'] as const, ['a', 'b/c'] as const, ['a', 'b_c'] as const],
    ...[['a', `${long}1`] as const, ['a', `${long}2`] as const],
  ]
  const names = tools.map(([server, tool]) => mcpFunctionName(server, tool))
  assert.equal(new Set(names).size, tools.length, names.join('\n'))
  for (const name of names) assert.match(name, /^[\w-]{1,64}$/)
})
