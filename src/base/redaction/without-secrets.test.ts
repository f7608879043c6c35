import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerSecrets } from './header-secrets.ts'
import { secretForms } from './secret-forms.ts'
import { jsonWithoutSecrets } from './without-secrets.ts'

const SECRET = 'k3y/+of "the" operator'

test('a secret is taken out of every text of an answer, and out of the names of its members', () => {
  const forms = secretForms(SECRET)
  const answer = {
    texts: forms.map((form) => `it was <${form}>, I think`),
    [`x-${SECRET}`]: { deep: [{ text: SECRET }] },
    count: 7,
    isOpen: true,
    nothing: null,
  }
  assert.deepEqual(jsonWithoutSecrets(answer, [SECRET]), {
    texts: forms.map(() => 'it was <[redacted]>, I think'),
    'x-[redacted]': { deep: [{ text: '[redacted]' }] },
    count: 7,
    isOpen: true,
    nothing: null,
  })
})

test('an answer without secrets stays the same object, also in its parts', () => {
  const answer = { left: { list: ['a', { b: 'c' }] }, right: SECRET }
  assert.equal(jsonWithoutSecrets(answer, ['another-secret']), answer)
  assert.equal(jsonWithoutSecrets(answer, []), answer)
  assert.equal(jsonWithoutSecrets(answer, [SECRET]).left, answer.left)
})

test('words of an answer stay, although a short secret is the same', () => {
  const answer = { text: 'a test of the tests' }
  assert.equal(jsonWithoutSecrets(answer, ['test', '']), answer)
})

test('the secrets of a header are its value, what follows the scheme, and a password in it', () => {
  const basic = Buffer.from('robot:pass:word').toString('base64')
  assert.deepEqual(headerSecrets('plain-token'), ['plain-token'])
  assert.deepEqual(headerSecrets('Bearer plain-token'), ['Bearer plain-token', 'plain-token'])
  assert.deepEqual(headerSecrets(`Basic ${basic}`), [`Basic ${basic}`, basic, 'robot:pass:word', 'pass:word'])
  assert.deepEqual(headerSecrets(''), [])
})
