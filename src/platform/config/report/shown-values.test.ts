import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SETTINGS } from '../settings.ts'
import { shownValue } from './shown-values.ts'

const SECRET = 'k9X2secretpartZZ'

/** Ways in which a secret can be part of a configuration. */
const CASES: Record<string, { path: string[]; value: unknown }> = {
  'a key': { path: ['gatehouseApiKey'], value: SECRET },
  'a short key': { path: ['gatehouseAdminKey'], value: 'k9X2' },
  'a list of keys with commas': { path: ['OPENAI_API_KEY'], value: `sk-first-${SECRET}, ${SECRET}` },
  'a list of credentials': { path: ['providers', 'openai', 'credentials'], value: [SECRET, `${SECRET}2`] },
  'a password in an address': { path: ['databaseUrl'], value: `postgres://user:${SECRET}@db:5432/gatehouse` },
  'a password with a comma and an @': { path: ['databaseUrl'], value: `postgres://u:a,${SECRET}@b@db/gatehouse` },
  'a query': { path: ['blobUrl'], value: `s3://bucket/prefix?secret=${SECRET}&endpoint=x` },
  'a proxy without a scheme': { path: ['httpsProxy'], value: `user:${SECRET}@proxy:3128` },
  'the second address of a list': { path: ['corsOrigins'], value: `https://a.test,https://u:${SECRET}@b.test` },
  'a header of a provider': { path: ['providers', 'x', 'headers', 'x-team'], value: SECRET },
  'a header in a deeper object': {
    path: ['providers', 'x'],
    value: { headers: { Authorization: `Bearer ${SECRET}` } },
  },
  'a header among the defaults of an alias': { path: ['defaults'], value: { extra_headers: { 'x-team': SECRET } } },
  'a token in a default field': {
    path: ['providers', 'x', 'fieldRules'],
    value: { defaults: { access_token: SECRET } },
  },
  'the id of a key': { path: ['awsAccessKeyId'], value: SECRET },
  'the id of a key in the config file': { path: ['credentials', 'amazon', 'access_key_id'], value: SECRET },
  'the id of a key of Amazon anywhere': { path: ['providers', 'x', 'note'], value: `AKIA${SECRET.toUpperCase()}` },
  'a private key': { path: ['providers', 'x', 'note'], value: `-----BEGIN PRIVATE KEY-----\n${SECRET}\n` },
  'a bearer token anywhere': { path: ['providers', 'x', 'note'], value: `Bearer ${SECRET}` },
  'an address in a list in an object': {
    path: ['alerts'],
    value: { receivers: [{ url: `https://hook/?t=${SECRET}` }] },
  },
}

for (const [name, { path, value }] of Object.entries(CASES)) {
  test(`is masked: ${name}`, () => {
    const shown = JSON.stringify(shownValue(path, value))
    assert.ok(!shown.includes('k9X2'), shown)
    assert.ok(shown.includes('***'), shown)
  })
}

test('every setting whose variable names a secret is masked', () => {
  const secrets = Object.entries(SETTINGS).filter(([, { env }]) => /(?:KEY|SECRET|TOKEN|PASSWORD|KEY_ID)S?$/.test(env))
  assert.ok(secrets.length >= 6)
  const harmless = ['catalogPublicKey']
  for (const [name] of secrets.filter(([name]) => !harmless.includes(name)))
    for (const value of [SECRET, [SECRET]]) assert.ok(!JSON.stringify(shownValue([name], value)).includes('k9X2'), name)
})

test('what is no secret is shown', () => {
  const harmless = {
    host: '127.0.0.1',
    port: 8080,
    allowNetworks: '10.0.0.0/8,fd00::/8',
    webhookPrivateKeyFile: '/run/secrets/webhook.pem',
    catalogPublicKey: 'MCowBQYDK2VwAyEA',
    baseUrl: 'https://api.openai.com/v1',
    auth: { scheme: 'bearer', env: 'FAKE_API_KEY' },
    blobUrl: null,
  }
  assert.deepEqual(shownValue([], harmless), harmless)
})

test('a long key shows its end, so that operators know which one it is', () => {
  assert.equal(shownValue(['openaiApiKey'], 'sk-0123456789abcdef'), '***cdef')
})
