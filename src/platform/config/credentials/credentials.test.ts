import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { GoogleFederation } from '../../../translation/wire/token-exchange.ts'
import { ConfigError } from '../config-error.ts'
import { hasCredential } from './credential.ts'
import { readCredentialSettings } from './credential-settings.ts'
import { readCredentials } from './credentials.ts'

const BEARER = { scheme: 'bearer' as const, env: 'FAKE_API_KEY' }
const AWS = { scheme: 'aws' as const, env: 'AWS_ACCESS_KEY_ID' }
const GOOGLE = { scheme: 'google' as const, env: 'GOOGLE_APPLICATION_CREDENTIALS' }
const KEY_FILE = { client_email: 'robot@x', private_key: '-----BEGIN', token_uri: 'https://elsewhere.test/token' }
const ACCESS_KEY = 'AKIAIOSFODNN7EXAMPLE'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-credentials-'))
after(() => rmSync(folder, { recursive: true }))

test('one key, several with commas, none', () => {
  assert.deepEqual(readCredentials(BEARER, { FAKE_API_KEY: 'a' }, undefined), [
    { name: 'FAKE_API_KEY', secret: 'a', weight: 1, from: { kind: 'environment', variable: 'FAKE_API_KEY' } },
  ])
  assert.deepEqual(secretsOf(readCredentials(BEARER, { FAKE_API_KEY: ' a, b ,,c' }, undefined)), ['a', 'b', 'c'])
  assert.deepEqual(readCredentials(BEARER, {}, undefined), [])
  assert.deepEqual(readCredentials({ scheme: 'none' }, { FAKE_API_KEY: 'a' }, undefined), [])
})

test('a list names variables and weights, and stands in place of the usual variable', () => {
  const environment = { FAKE_API_KEY: 'usual', A: 'a', B: 'b1,b2' }
  const listed = [{ name: 'team-a', env: 'A', weight: 3 }, { env: 'B' }, { env: 'MISSING' }]
  const credentials = readCredentials(BEARER, environment, listed)
  assert.deepEqual(
    credentials.map(({ name, secret, weight }) => [name, secret, weight]),
    [
      ['team-a', 'a', 3],
      ['B', 'b1', 1],
      ['B', 'b2', 1],
    ],
  )
  assert.deepEqual(
    ['team-a', 'B', 'A', 'MISSING', 'FAKE_API_KEY'].map((name) => hasCredential({ credentials }, name)),
    [true, true, false, false, false],
  )
})

test('a name that may be in the store is unknown only when the store has been read, and never because of a change there', () => {
  const none = { credentials: [] }
  assert.equal(hasCredential(none, 'x', {}), true)
  assert.equal(hasCredential(none, 'x', { stored: { credentials: {} } }), false)
  assert.equal(hasCredential(none, 'x', { stored: { credentials: {} }, isRefresh: true }), true)
})

test('a file holds a key, or one on each line', () => {
  const file = join(folder, 'keys')
  writeFileSync(file, 'first\nsecond\r\n\n')
  assert.deepEqual(readCredentials(BEARER, {}, [{ name: 'b', file, weight: 2 }]), [
    { name: 'b', secret: 'first', weight: 2, from: { kind: 'file', path: file } },
    { name: 'b', secret: 'second', weight: 2, from: { kind: 'file', path: file } },
  ])
})

test('a file that is missing, empty, too large, no file or not ASCII is refused without its content', () => {
  const wrong: [string, string | undefined, RegExp][] = [
    ['missing', undefined, /\(ENOENT\)/],
    ['empty', ' \n', /is empty/],
    ['large', 'x'.repeat(70_000), /more than 65536 bytes/],
    ['binary', 'sk-\u00e9-of-ours', /ASCII/],
  ]
  for (const [name, content, message] of wrong) {
    const file = join(folder, name)
    if (content !== undefined) writeFileSync(file, content)
    assert.throws(
      () => readCredentials(BEARER, {}, [{ file }]),
      (error: Error) => error instanceof ConfigError && message.test(error.message) && !/of-ours/.test(error.message),
      name,
    )
  }
  assert.throws(() => readCredentials(BEARER, {}, [{ file: folder }]), /not a file/)
})

test('stored credentials are added, in the second place: a listed one of the same name wins', () => {
  const stored = [
    { id: '1', name: 'team', secret: 'stored', weight: 2 },
    { id: '2', name: 'other', secret: 'more', weight: 1 },
  ]
  const read = (listed?: { name: string; env: string }[]) => {
    const all = readCredentials(BEARER, { FAKE_API_KEY: 'usual', A: 'a' }, listed, stored)
    return all.map(({ name, secret }) => `${name}=${secret}`)
  }
  assert.deepEqual(read(), ['FAKE_API_KEY=usual', 'team=stored', 'other=more'])
  assert.deepEqual(read([{ name: 'team', env: 'A' }]), ['team=a', 'other=more'])
  const [own] = readCredentials(BEARER, {}, undefined, stored)
  assert.deepEqual(own, { name: 'team', secret: 'stored', weight: 2, from: { kind: 'store', id: '1' } })
})

test('a stored credential that its provider can no longer use is left out', () => {
  const stored = [{ id: '1', name: 'x', secret: '{"no": "account"}', weight: 1 }]
  assert.deepEqual(readCredentials(GOOGLE, {}, undefined, stored), [])
})

test('Amazon: a bearer key before a pair; half a pair is none', () => {
  const pair = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const aws = { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: undefined }
  const [own] = readCredentials(AWS, pair, undefined)
  assert.deepEqual([own?.name, own?.secret, own?.aws], ['AWS_ACCESS_KEY_ID', undefined, aws])
  const [session] = readCredentials(AWS, { ...pair, AWS_SESSION_TOKEN: 'session' }, undefined)
  assert.equal(session?.aws?.sessionToken, 'session')
  assert.deepEqual(secretsOf(readCredentials(AWS, { ...pair, AWS_BEARER_TOKEN_BEDROCK: 'bearer' }, undefined)), [
    'bearer',
  ])
  assert.deepEqual(readCredentials(AWS, { AWS_ACCESS_KEY_ID: 'id' }, undefined), [])
})

test('Amazon: a listed key is a pair with a colon, JSON in the form of AWS, or a Bedrock key', () => {
  const read = (text: string) => readCredentials(AWS, { A: text }, [{ env: 'A' }])[0]
  const keys = { accessKeyId: ACCESS_KEY, secretAccessKey: 'a/b+c=' }
  assert.deepEqual(read(`${ACCESS_KEY}:a/b+c=`)?.aws, { ...keys, sessionToken: undefined })
  assert.deepEqual(read(`${ACCESS_KEY}:a/b+c=:session`)?.aws, { ...keys, sessionToken: 'session' })
  const json = { AccessKeyId: ACCESS_KEY, SecretAccessKey: 'a/b+c=', SessionToken: 's' }
  assert.deepEqual(read(JSON.stringify(json))?.aws, { ...keys, sessionToken: 's' })
  assert.deepEqual([read('bedrock-key')?.secret, read('bedrock-key')?.aws], ['bedrock-key', undefined])
  for (const wrong of ['{', '{}', '{"AccessKeyId":"of-ours"}'])
    assert.throws(
      () => read(wrong),
      (error: Error) => error instanceof ConfigError && !error.message.includes('of-ours'),
    )
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
    const [own] = readGoogle(value)
    assert.deepEqual([own?.secret, own?.exchange], [undefined, exchange])
    assert.equal(own?.from?.kind, value === file ? 'file' : 'environment')
  }
  assert.deepEqual(readCredentials(GOOGLE, {}, [{ file }])[0]?.exchange, exchange)
  const { token_uri: _, ...fallback } = KEY_FILE
  assert.equal(readGoogle(JSON.stringify(fallback))[0]?.exchange?.tokenUrl, 'https://oauth2.googleapis.com/token')
  assert.deepEqual(readCredentials(GOOGLE, {}, undefined), [])
})

test('Google: an external account says where the token of the workload is, and whether it acts as another account', () => {
  const account = {
    type: 'external_account',
    audience: '//iam.googleapis.com/pool',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: 'https://sts.googleapis.com/v1/token',
  }
  const read = (source: object, more = {}, environment = {}) => {
    const value = JSON.stringify({ ...account, credential_source: source, ...more })
    const [own] = readCredentials(GOOGLE, { GOOGLE_APPLICATION_CREDENTIALS: value, ...environment }, undefined)
    return own?.exchange as GoogleFederation
  }
  const format = { type: 'json', subject_token_field_name: 'value' }
  assert.deepEqual(read({ file: '/token', format }), {
    kind: 'google-federation',
    tokenUrl: account.token_url,
    audience: account.audience,
    subjectTokenType: account.subject_token_type,
    subject: { file: '/token', field: 'value' },
    impersonationUrl: undefined,
  })
  const url = 'http://169.254.169.254/metadata/identity'
  const impersonated = { service_account_impersonation_url: 'https://iamcredentials.googleapis.com/v1/x' }
  const { subject, impersonationUrl } = read({ url, headers: { Metadata: 'true', other: 1 } }, impersonated)
  assert.deepEqual(subject, { url, headers: { Metadata: 'true' } })
  assert.equal(impersonationUrl, impersonated.service_account_impersonation_url)
  const aws = { environment_id: 'aws1', regional_cred_verification_url: 'https://sts.{region}.amazonaws.com?x' }
  const [region, web] = [{ AWS_REGION: 'eu-west-1' }, { AWS_WEB_IDENTITY_TOKEN_FILE: '/t', AWS_ROLE_ARN: 'r' }]
  const own = read(aws, {}, { ...region, ...web }).subject as { aws: { kind: string }; verificationUrl: string }
  assert.deepEqual([own.aws.kind, own.verificationUrl], ['web identity', 'https://sts.eu-west-1.amazonaws.com?x'])
  assert.throws(() => read(aws), /AWS_REGION/)
  for (const source of [{}, { executable: { command: 'x' } }, { url: 'file:///x' }])
    assert.throws(() => read(source), /credential_source should have/)
})

test('a key that is exchanged: where and for what have usual values, and variables that move them', () => {
  const way = { kind: 'gigachat' as const, url: 'https://office.test/', urlEnv: 'FAKE_TOKEN_URL' }
  const auth = { ...BEARER, scheme: 'exchange' as const, exchange: { ...way, scope: 'usual', scopeEnv: 'FAKE_SCOPE' } }
  const read = (more = {}) => readCredentials(auth, { FAKE_API_KEY: 'a,b', ...more }, undefined)
  const fallback = { kind: 'gigachat', tokenUrl: 'https://office.test/', scope: 'usual' }
  assert.deepEqual(
    read().map(({ secret, exchange }) => [secret, exchange]),
    [
      [undefined, { ...fallback, secret: 'a' }],
      [undefined, { ...fallback, secret: 'b' }],
    ],
  )
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
  '{"type":"external_account","audience":"secret-of-ours"}',
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
  const settings = { openai: [{ name: 'a', env: 'A', weight: 3 }, { env: 'B' }, { name: 'b', file: '/run/secrets/b' }] }
  assert.deepEqual(readCredentialSettings(settings), settings)
  assert.deepEqual(readCredentialSettings(undefined), {})
})

const WRONG: [unknown, RegExp][] = [
  [{ openai: [] }, /credentials\.openai/],
  [{ openai: [{ env: '' }] }, /credentials\.openai\.0\.env/],
  [{ openai: [{ weight: 1 }] }, /credentials\.openai\.0: should have one of env, file and identity/],
  [{ openai: [{ env: 'A', file: '/x' }] }, /credentials\.openai\.0: should have one of/],
  [{ openai: [{ identity: 'mine' }] }, /credentials\.openai\.0\.identity/],
  [{ openai: [{ name: '', env: 'A' }] }, /credentials\.openai\.0\.name/],
  [{ openai: [{ name: 'B', env: 'A' }, { env: 'B' }] }, /credentials\.openai\.1\.name: another credential/],
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
