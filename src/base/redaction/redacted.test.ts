import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { redacted } from './redacted.ts'
import { secretForms } from './secret-forms.ts'

const BASE_URL = 'https://api.provider.test/v1'
const SECRET = 'user name:k3y/+with=signs&"quotes"'

test('a secret is removed in every form', () => {
  const bytes = Buffer.from(SECRET)
  const written = [
    ...[SECRET, JSON.stringify(SECRET), encodeURIComponent(SECRET), new URLSearchParams({ q: SECRET }).toString()],
    ...[bytes.toString('hex'), bytes.toString('hex').toUpperCase(), bytes.toString('base64url')],
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${SECRET} after`).toString('base64')),
  ]
  for (const text of written) {
    const reported = redacted(`wrong: ${text}.`, { secrets: [SECRET], baseUrl: BASE_URL })
    assert.match(reported, /^wrong: .*\[redacted\]/)
    for (const form of secretForms(SECRET)) assert.ok(!reported.includes(form), `${text} → ${reported}`)
  }
})

test('whatever surrounds a secret in base64, none of its characters stay', () => {
  const secrets = fc.string({ minLength: 8, maxLength: 60 })
  fc.assert(
    fc.property(secrets, fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (secret, before, after) => {
      const text = Buffer.from(before + secret + after).toString('base64')
      const reported = redacted(text, { secrets: [secret], baseUrl: BASE_URL })
      assert.ok(reported.includes('[redacted]'), reported)
    }),
    { numRuns: 50 },
  )
})

test('a short secret is searched in its plain form', () => {
  assert.deepEqual(secretForms('abcd'), ['abcd'])
  assert.equal(redacted('key abcd', { secrets: ['abcd'], baseUrl: BASE_URL }), 'key [redacted]')
})

test('keys and tokens that were fetched for an identity are hidden by their form', () => {
  const fetched = ['ASIAIOSFODNN7EXAMPLE', 'ya29.c.Kl6iB-x_y', 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJl']
  for (const text of fetched)
    assert.equal(redacted(`wrong: ${text} here`, { secrets: [], baseUrl: BASE_URL }), 'wrong: [redacted] here')
})
