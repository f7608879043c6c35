import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../tenants/access/caller.ts'
import { ownerNamed } from '../../../test/fakes/owners.ts'
import { cacheKey, TokenCache } from './token-cache.ts'

const CALLER: Caller = {
  keyId: 'k',
  keyName: 'key',
  ...ownerNamed('ann'),
  user: null,
  kind: 'live',
  region: 'global',
  scopes: null,
  expiresAt: null,
  allowedIps: null,
  policy: null,
}

test('a count is kept for a minute', () => {
  let now = 0
  const cache = new TokenCache(() => now)
  cache.set('ann', 'a', { tokens: 14, exact: true })
  now = 59_999
  assert.equal(cache.get('ann', 'a')?.tokens, 14)
  now = 60_000
  assert.equal(cache.get('ann', 'a'), undefined)
})

test('it never holds more than a thousand, the newest', () => {
  const cache = new TokenCache(() => 0)
  for (let index = 0; index < 5_000; index++) cache.set('ann', `text ${index}`, { tokens: index, exact: false })
  assert.equal(cache.size, 1_000)
  assert.equal(cache.get('ann', 'text 3999'), undefined)
  assert.equal(cache.get('ann', 'text 4000')?.tokens, 4_000)
})

test('an owner who counts much pushes out its own counts, and leaves those of the others', () => {
  const cache = new TokenCache(() => 0)
  cache.set('bob', 'a', { tokens: 14, exact: true })
  for (let index = 0; index < 5_000; index++) cache.set('ann', `text ${index}`, { tokens: index, exact: false })
  assert.deepEqual([cache.get('bob', 'a')?.tokens, cache.size], [14, 1_000])
})

test('owner, kind of key, model, betas and every letter make the key; the key itself tells none', () => {
  const key = cacheKey(CALLER, 'a/b', 'text')
  assert.equal(cacheKey({ ...CALLER, keyId: 'another key of hers' }, 'a/b', 'text'), key)
  const others = [
    cacheKey({ ...CALLER, owner: 'bob' }, 'a/b', 'text'),
    cacheKey({ ...CALLER, kind: 'sandbox' }, 'a/b', 'text'),
    cacheKey(CALLER, 'a/c', 'text'),
    cacheKey(CALLER, 'a/b', 'text '),
    cacheKey(CALLER, 'a/b', 'text', 'beta'),
  ]
  assert.equal(new Set([key, ...others]).size, 6)
  assert.doesNotMatch(key, /ann|text/)
})
