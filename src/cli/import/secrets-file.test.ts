import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { secretsText } from './secrets-file.ts'

test('every value is read back as it was, whatever quotes, signs and lines it has', () => {
  const values = [
    'sk-plain',
    'with space',
    "it's",
    'a#b',
    '"quoted"',
    '{"a": "b\\n"}',
    'two\nlines',
    '`x`',
    '$HOME',
    ' edge ',
    '\\',
  ]
  const secrets = new Map(values.map((value, index) => [`NAME_${index}`, value]))
  assert.deepEqual({ ...parseEnv(secretsText(secrets)) }, Object.fromEntries(secrets))
})

test('a value that no quotes can hold is refused without being shown', () => {
  assert.throws(
    () => secretsText(new Map([['X', `'"\`SECRET`]])),
    (error: Error) => !error.message.includes('SECRET'),
  )
})
