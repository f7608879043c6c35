import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImportedKey } from '../../../../platform/store/keys/imported-keys.ts'
import { keyOf, modelNames } from './keys.ts'
import { endpointScopes } from './route-scopes.ts'

const TOKEN = 'ab'.repeat(32)
const KNOWN = modelNames({
  model_list: [
    { model_name: 'fast', model_info: { access_groups: ['beta'] } },
    { model_name: 'bedrock/ours', model_info: { access_groups: ['beta'] } },
    { model_name: 7 },
  ],
})
const TEAMS = new Map<string, Record<string, unknown>>([
  ['some', { models: ['fast', 'openai/*'] }],
  ['all', { models: ['all-proxy-models'] }],
])
const USERS = new Map([['restricted', { models: ['no-default-models'] }]])
const HERE = { projects: new Map([['some', { id: 'some-1' }]]), people: new Map([['restricted', { id: 'user-1' }]]) }
const CONTEXT = { region: 'eu', now: 1_000_000, teams: TEAMS, users: USERS, ...HERE, ...KNOWN } as const

const scopesOf = (row: object) => {
  const key = keyOf({ token: TOKEN, ...row }, CONTEXT)
  return typeof key === 'string' ? key : key.scopes
}

test('a key may use what the key, its team and its user all allow', () => {
  assert.equal(scopesOf({}), null)
  assert.equal(scopesOf({ models: [], team_id: 'all' }), null)
  assert.deepEqual(scopesOf({ models: ['beta'] }), ['model:fast', 'model:bedrock/ours'])
  assert.deepEqual(scopesOf({ models: ['bedrock/*', 'bedrock/ours'] }), ['model:amazon/*', 'model:bedrock/ours'])
  assert.deepEqual(scopesOf({ team_id: 'some' }), ['model:fast', 'model:openai/*'])
  assert.deepEqual(scopesOf({ team_id: 'some', models: ['all-team-models'] }), ['model:fast', 'model:openai/*'])
  assert.deepEqual(scopesOf({ team_id: 'some', models: ['openai/gpt-4o', 'claude'] }), ['model:openai/gpt-4o'])
  assert.equal(scopesOf({ team_id: 'some', models: ['claude'] }), 'no model')
  // A user with no models of their own may use nothing; inside of a team, the team decides.
  assert.deepEqual(scopesOf({ user_id: 'restricted' }), ['model:no-default-models'])
  assert.deepEqual(scopesOf({ user_id: 'restricted', team_id: 'some' }), ['model:fast', 'model:openai/*'])
})

test('routes are scopes of endpoints, and a key for administration is none for models', () => {
  assert.equal(endpointScopes([]), undefined)
  assert.equal(endpointScopes(['management_routes', 'llm_api_routes']), undefined)
  assert.deepEqual(endpointScopes(['/chat/completions', '/v1/embeddings', '/v1/nothing']), ['chat', 'universal'])
  assert.deepEqual(endpointScopes(['management_routes']), [])
  assert.equal(scopesOf({ allowed_routes: ['info_routes'] }), 'no model endpoint')
})

test('the id depends on the key alone, and times are UTC', () => {
  const row = { token: TOKEN, key_alias: 'x'.repeat(300), key_name: 'sk-...wxyz', expires: '2026-01-02T03:04:05.678' }
  const key = keyOf(row, CONTEXT) as ImportedKey
  assert.equal(key.id, (keyOf({ token: TOKEN }, CONTEXT) as ImportedKey).id)
  assert.match(key.id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual([key.ownerId, key.last4, key.name.length, key.region], [key.id, 'wxyz', 200, 'eu'])
  assert.equal(key.expiresAt, Date.UTC(2026, 0, 2, 3, 4, 5, 678))
  assert.equal(keyOf({ token: 'sk-in-clear' }, CONTEXT), 'unknown form')
  assert.equal(keyOf({ token: TOKEN, expires: '1970-01-01T00:00:01' }, CONTEXT), 'expired')
})

test('a key belongs to the project of its team and to its user; without a team it shares nothing', () => {
  const placeOf = (row: object) => {
    const { id, project, ownerKind, ownerId, user } = keyOf({ token: TOKEN, ...row }, CONTEXT) as ImportedKey
    return [project, ownerKind === 'key' && ownerId === id ? 'itself' : ownerId, user]
  }
  assert.deepEqual(placeOf({ team_id: 'some', user_id: 'restricted' }), ['some-1', 'some-1', 'user-1'])
  assert.deepEqual(placeOf({ user_id: 'unknown' }), ['personal', 'itself', null])
  assert.deepEqual(placeOf({ team_id: 'all' }), ['personal', 'itself', null])
})
