import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textFromPattern } from './text-from-pattern.ts'

const READABLE = [
  '^[a-z]+$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^(cat|dog)s?$',
  '^#([0-9a-fA-F]{6}|[0-9a-fA-F]{3})$',
  '^[^a-z0-9]+$',
  '^\\+?[1-9]\\d{1,14}$',
  '^(?:[a-z0-9]+\\.)+(?<end>com|org)$',
  '^[\\w.+-]+@[\\w-]+\\.[\\w.]+$',
  '^\\p{Lu}\\p{Ll}*$',
  '^\\u4e2d\\x41\\.\\/$',
  '^[\\]\\-a]{2,}?$',
  'abc',
  '^.{5}$',
  '^a{,2}$',
  '\\bword\\b',
  '^$',
  '',
]

for (const pattern of READABLE) {
  test(`matches ${pattern}`, () => {
    const text = textFromPattern(pattern)
    assert.ok(text !== undefined)
    assert.match(text, new RegExp(pattern, pattern.includes('\\p') ? 'u' : ''))
  })
}

test('gives up on what it cannot read or should not build', () => {
  const hard = [
    '(?=a)b',
    '(?<!a)b',
    '(a)\\1',
    '[a',
    '(a',
    'a)',
    '*',
    '\\',
    '(a{1000}){1000}',
    'a{1e9}'.repeat(200),
    '[一-二]',
  ]
  for (const pattern of hard) assert.equal(textFromPattern(pattern), undefined, pattern)
})

test('a pattern that ruins matchers costs nothing here', () => {
  assert.equal(textFromPattern('^(((a+)+)+)+$'), 'a')
})
