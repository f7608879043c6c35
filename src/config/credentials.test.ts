import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError } from './config-error.ts'
import { readCredentialSettings } from './credential-settings.ts'
import { readCredentials } from './credentials.ts'

const BEARER = { scheme: 'bearer' as const, env: 'FAKE_API_KEY' }
const AWS = { scheme: 'aws' as const, env: 'AWS_ACCESS_KEY_ID' }
const GOOGLE = { scheme: 'google' as const, env: 'GOOGLE_APPLICATION_CREDENTIALS' }
const KEY_FILE = { client_email: 'robot@x', private_key: '-----BEGIN', token_uri: 'https://elsewhere.test/token' }

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-credentials-'))
after(() => rmSync(folder, { recursive: true }))

test('one key, several with commas, none', () => {
  assert.deepEqual(readCredentials(BEARER, { FAKE_API_KEY: 'a' }, undefined), [{ secret: 'a', weight: 1 }])
  assert.deepEqual(secretsOf(readCredentials(BEARER, { FAKE_API_KEY: ' a, b ,,c' }, undefined)), ['a', 'b', 'c'])
  assert.deepEqual(readCredentials(BEARER, {}, undefined), [])
  assert.deepEqual(readCredentials({ scheme: 'none' }, { FAKE_API_KEY: 'a' }, undefined), [])
})

test('a list names variables and weights, and stands in place of the usual variable', () => {
  const environment = { FAKE_API_KEY: 'usual', A: 'a', B: 'b1,b2' }
  const listed = [{ env: 'A', weight: 3 }, { env: 'B' }, { env: 'MISSING' }]
  assert.deepEqual(readCredentials(BEARER, environment, listed), [
    { secret: 'a', weight: 3 },
    { secret: 'b1', weight: 1 },
    { secret: 'b2', weight: 1 },
  ])
})

test('Amazon: a bearer key before a pair; half a pair is none', () => {
  const pair = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const aws = { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: undefined }
  assert.deepEqual(readCredentials(AWS, pair, undefined), [{ secret: undefined, weight: 1, aws }])
  const [session] = readCredentials(AWS, { ...pair, AWS_SESSION_TOKEN: 'session' }, undefined)
  assert.equal(session?.aws?.sessionToken, 'session')
  assert.deepEqual(secretsOf(readCredentials(AWS, { ...pair, AWS_BEARER_TOKEN_BEDROCK: 'bearer' }, undefined)), [
    'bearer',
  ])
  assert.deepEqual(readCredentials(AWS, { AWS_ACCESS_KEY_ID: 'id' }, undefined), [])
})

test('Google: the key file by its path or by its content', () => {
  const file = join(folder, 'key.json')
  writeFileSync(file, JSON.stringify(KEY_FILE))
  const exchange = {
    kind: 'google',
    clientEmail: 'robot@x',
    privateKey: '-----BEGIN',
    tokenUrl: 'https://elsewhere.test/token',
  }
  for (const value of [file, JSON.stringify(KEY_FILE), `\n ${JSON.stringify(KEY_FILE)}`]) {
    assert.deepEqual(readGoogle(value), [{ secret: undefined, weight: 1, exchange }])
  }
  const { token_uri: _, ...fallback } = KEY_FILE
  assert.equal(readGoogle(JSON.stringify(fallback))[0]?.exchange?.tokenUrl, 'https://oauth2.googleapis.com/token')
  assert.deepEqual(readCredentials(GOOGLE, {}, undefined), [])
})

test('a key that is exchanged: where and for what have usual values, and variables that move them', () => {
  const way = { kind: 'gigachat' as const, url: 'https://office.test/', urlEnv: 'FAKE_TOKEN_URL' }
  const auth = { ...BEARER, scheme: 'exchange' as const, exchange: { ...way, scope: 'usual', scopeEnv: 'FAKE_SCOPE' } }
  const read = (more = {}) => readCredentials(auth, { FAKE_API_KEY: 'a,b', ...more }, undefined)
  const fallback = { kind: 'gigachat', tokenUrl: 'https://office.test/', scope: 'usual' }
  assert.deepEqual(read(), [
    { secret: undefined, weight: 1, exchange: { ...fallback, secret: 'a' } },
    { secret: undefined, weight: 1, exchange: { ...fallback, secret: 'b' } },
  ])
  const [moved] = read({ FAKE_TOKEN_URL: 'http://127.0.0.1:9/', FAKE_SCOPE: 'other' })
  assert.deepEqual(moved?.exchange, { kind: 'gigachat', secret: 'a', tokenUrl: 'http://127.0.0.1:9/', scope: 'other' })
  assert.throws(() => read({ FAKE_TOKEN_URL: 'office' }), { message: /^FAKE_TOKEN_URL: / })
})

for (const value of [
  '/nowhere/key.json',
  '{',
  '{}',
  '{"client_email":"x"}',
  '{"client_email":1,"private_key":"secret-of-ours"}',
]) {
  test(`${value} is no key file, and the message shows nothing of it`, () => {
    assert.throws(
      () => readGoogle(value),
      (error: Error) =>
        error instanceof ConfigError &&
        error.message.startsWith('GOOGLE_APPLICATION_CREDENTIALS: ') &&
        !error.message.includes('secret-of-ours'),
    )
  })
}

test('the settings of the config file', () => {
  const settings = { openai: [{ env: 'A', weight: 3 }, { env: 'B' }] }
  assert.deepEqual(readCredentialSettings(settings), settings)
  assert.deepEqual(readCredentialSettings(undefined), {})
})

const WRONG: [unknown, RegExp][] = [
  [{ openai: [] }, /credentials\.openai/],
  [{ openai: [{ env: '' }] }, /credentials\.openai\.0\.env/],
  [{ openai: [{ weight: 1 }] }, /credentials\.openai\.0\.env/],
  [{ openai: [{ env: 'A', weight: 0 }] }, /credentials\.openai\.0\.weight/],
  [{ openai: [{ env: 'A', weight: 1_001 }] }, /credentials\.openai\.0\.weight/],
  [{ openai: [{ env: 'A', key: 'sk-1' }] }, /credentials\.openai\.0\.key/],
  [{ openai: { env: 'A' } }, /credentials\.openai/],
  [[], /credentials/],
]

for (const [value, place] of WRONG) {
  test(`${JSON.stringify(value)} is refused, and the message says where`, () => {
    assert.throws(
      () => readCredentialSettings(value),
      (error: Error) => error instanceof ConfigError && place.test(error.message),
    )
  })
}

function readGoogle(value: string) {
  return readCredentials(GOOGLE, { GOOGLE_APPLICATION_CREDENTIALS: value }, undefined)
}

function secretsOf(credentials: ReturnType<typeof readCredentials>) {
  return credentials.map(({ secret }) => secret)
}
