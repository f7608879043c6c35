import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNestedTooDeeply, MAX_NESTING } from './nesting.ts'
import { tryParse } from './try-parse.ts'

test('the depth of a text is that of its brackets, and those in strings are none', () => {
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`
  for (const [text, isDeep] of [
    [nested(MAX_NESTING), false],
    [nested(MAX_NESTING + 2), true],
    ['['.repeat(20_000), true],
    ['{"a":'.repeat(20_000), true],
    [`{"a":"${'['.repeat(20_000)}"}`, false],
    [`{"a":"\\"${'['.repeat(20_000)}\\\\","b":[]}`, false],
    [`{"a":"\\\\"}${'['.repeat(20_000)}`, true],
    [JSON.stringify(Array(20_000).fill([])), false],
    [`"${'['.repeat(20_000)}`, false],
  ] as const)
    assert.equal(isNestedTooDeeply(text), isDeep, text.slice(0, 30))
})

test('what is parsed can be written again', () => {
  const text = `${'['.repeat(MAX_NESTING)}${']'.repeat(MAX_NESTING)}`
  assert.equal(JSON.stringify(tryParse(text)), text)
  assert.equal(tryParse(`[${text}]`), undefined)
})
