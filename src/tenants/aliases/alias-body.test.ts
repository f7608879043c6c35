import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOfAlias } from './alias-body.ts'

test('secrets in the defaults of an alias are hidden if they are in the config file, as in the list of all settings', () => {
  const defaults = { temperature: 0, extra_body: { api_key: 'canary' }, extra_headers: { 'x-team': 'canary' } }
  const alias = { targets: [{ model: 'a/b' }], defaults }
  const shown = bodyOfAlias({ name: 'x', alias, ownedBy: 'file' }, undefined)
  assert.deepEqual(shown.defaults, {
    temperature: 0,
    extra_body: { api_key: '***' },
    extra_headers: { 'x-team': '***' },
  })
  // An alias of the store can be changed here, so its values are shown.
  assert.deepEqual(bodyOfAlias({ name: 'x', alias, ownedBy: 'api' }, undefined).defaults, defaults)
})
