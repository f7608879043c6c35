import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WireRequest } from '../../translation/wire/wire.ts'
import { formPayload } from '../../translation/tasks/http/payload.ts'
import { isPlaced, applyAuth } from './apply-auth.ts'

const REQUEST: WireRequest = { method: 'POST', url: 'https://x.test/a', headers: { a: 'b' }, body: null }

test('headers and query, whole or in parts', () => {
  const proof = {
    headers: { authorization: 'Token {secret}', 'client-id': '{secret.1}' },
    query: { api_key: '{secret.2}', of: 'us' },
  }
  const { url, headers } = applyAuth({ ...REQUEST, url: 'https://x.test/a?b=c' }, proof, 'me:k&y')
  assert.equal(url, 'https://x.test/a?b=c&api_key=k%26y&of=us')
  assert.deepEqual(headers, { a: 'b', authorization: 'Token me:k&y', 'client-id': 'me' })
  assert.deepEqual(REQUEST.headers, { a: 'b' })
})

test('fields of a JSON body and of a simple form', () => {
  const json = { ...REQUEST, headers: { 'content-type': 'application/json' }, body: '{"text":"x"}' }
  assert.equal(applyAuth(json, { fields: { key: '{secret}' } }, 'k"y').body, '{"text":"x","key":"k\\"y"}')
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const form = { ...REQUEST, headers: type, body: 'text=x' }
  assert.equal(applyAuth(form, { fields: { key: '{secret}' } }, 'k&y').body, 'key=k%26y&text=x')
})

test('fields of a form with files', async () => {
  const { type, body } = await formPayload({ text: 'x' }, [])
  const headers = { 'content-type': type }
  const proof = { fields: { api_user: '{secret.1}', api_secret: '{secret.2}' } }
  const placed = applyAuth({ ...REQUEST, headers, body }, proof, 'me:key')
  const form = await new Response(new Uint8Array(placed.body as Uint8Array), { headers }).formData()
  assert.deepEqual(Object.fromEntries(form), { api_user: 'me', api_secret: 'key', text: 'x' })
})

test('an adapter that names only a service does not place the secret itself', () => {
  assert.deepEqual([isPlaced({}), isPlaced({ service: 'x' }), isPlaced({ query: {} })], [false, false, true])
})
