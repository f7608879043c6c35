import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FieldNames } from './field-names.ts'
import { foldName } from './fold-name.ts'

test('names are folded as Go folds them: every character of Unicode that equals an ASCII letter, and no other', () => {
  const wrong: number[] = []
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    // Regular expressions that ignore case fold as Go does: by Unicode's simple case folding.
    if (/^[a-z]$/.test(foldName(character)) !== /^[a-z]$/iu.test(character)) wrong.push(code)
  }
  assert.deepEqual(wrong, [])
  assert.deepEqual(['ſTREAM', 'to\u212aens', 'MODEL'].map(foldName), ['stream', 'tokens', 'model'])
  assert.notEqual(foldName('\u0131nput'), 'input')
  assert.notEqual(foldName('\u0130nput'), 'input')
})

const names = new FieldNames(['model', 'stream', 'max_tokens', 'providerOptions', 'aws_*'])

test('a name that differs from a governed one only in spelling is refused', () => {
  for (const name of ['Model', 'MODEL', 'ſtream', 'max_to\u212aens', 'provideroptions', 'model[]', 'Model[0]', 'AWS_x'])
    assert.deepEqual(
      names.issues({ fine: 1, [name]: 1 }, ['body']).map(({ loc, type }) => [loc, type]),
      [[['body', name], 'value_error']],
      name,
    )
  const [issue] = names.issues({ MODEL: 'x' }, ['body', 'extra_body'])
  assert.deepEqual(issue?.loc, ['body', 'extra_body', 'MODEL'])
  assert.match(issue?.msg ?? '', /^Write it as 'model'/)
})

test('exact governed names and other names pass', () => {
  const fields = {
    model: 1,
    stream: 1,
    aws_region: 1,
    providerOptions: 1,
    top_k: 1,
    models: 1,
    Modell: 1,
    maxTokens: 1,
  }
  assert.deepEqual(names.issues(fields, ['body']), [])
  assert.deepEqual(names.issues({ '[model]': 1, '': 1, toString: 1, 'str\u0131ng': 1 }, ['body']), [])
})

test('of two unknown names that differ only in case, the second is refused', () => {
  const issues = names.issues({ top_k: 1, Top_K: 2, top_\u212a: 3, other: 4 }, ['body'])
  assert.deepEqual(
    issues.map(({ loc }) => loc),
    [
      ['body', 'Top_K'],
      ['body', 'top_\u212a'],
    ],
  )
})
