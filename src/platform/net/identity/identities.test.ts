import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { LIFETIME_SECONDS, ROLE, startCloudMetadata, WEB_TOKEN } from '../../../../test/fakes/cloud-metadata.ts'
import type { AwsIdentity } from '../../../translation/wire/aws-identity.ts'
import type { TokenExchange } from '../../../translation/wire/token-exchange.ts'
import { WireFailure } from '../../../translation/wire/wire.ts'
import { freePort } from '../free-port.ts'
import { openUpstream } from '../upstream.ts'
import { AccessTokens } from './access-tokens.ts'

// Identities of clouds, against servers that refuse what the real ones refuse.

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-identity-'))
const tokenFile = join(folder, 'token')
const clock = { now: Date.now(), monotonic: 0 }
let cloud: Awaited<ReturnType<typeof startCloudMetadata>>
const [throughProxy, direct] = [openUpstream(), openUpstream()]
let ways: string[] = []
let tokens: AccessTokens

before(async () => {
  cloud = await startCloudMetadata(() => clock.now)
})

beforeEach(() => {
  writeFileSync(tokenFile, `${WEB_TOKEN}\n`)
  ways = []
  const senders = {
    send: (...[request, options]: Parameters<typeof direct.send>) => {
      ways.push('proxy')
      return throughProxy.send(request, options)
    },
    sendDirectly: (...[request, options]: Parameters<typeof direct.send>) => {
      ways.push('direct')
      return direct.send(request, options)
    },
  }
  tokens = new AccessTokens(senders, { now: () => clock.now, monotonic: () => clock.monotonic })
})

afterEach(() => {
  cloud.requests.length = 0
})

after(async () => {
  await Promise.all([cloud.close(), throughProxy.close(), direct.close()])
  rmSync(folder, { recursive: true })
})

function awsIdentities(): Record<string, { identity: AwsIdentity; ways: string[] }> {
  const { url } = cloud
  const roleArn = 'arn:aws:iam::1:role/r'
  return {
    web: { identity: { kind: 'web identity', url, roleArn, sessionName: 'us', tokenFile }, ways: ['proxy'] },
    container: {
      identity: { kind: 'container', url: `${url}/v2/credentials/task`, token: 'token-of-agent' },
      ways: ['direct'],
    },
    machine: { identity: { kind: 'machine', url }, ways: ['direct', 'direct', 'direct'] },
  }
}

test('AWS: a web identity, a container and a machine get keys; a metadata server is never asked through a proxy', async () => {
  for (const [kind, { identity, ways: expected }] of Object.entries(awsIdentities())) {
    ways = []
    const keys = await tokens.awsKeysFor(identity)
    assert.match(keys.accessKeyId, new RegExp(`^ASIA-${kind}-`))
    assert.deepEqual([keys.secretAccessKey, keys.sessionToken], [`secret-of-${kind}`, `session-of-${kind}`])
    assert.deepEqual(ways, expected, kind)
  }
  assert.deepEqual(cloud.requests.slice(-3), [
    'PUT /latest/api/token',
    'GET /latest/meta-data/iam/security-credentials/',
    `GET /latest/meta-data/iam/security-credentials/${ROLE}`,
  ])
})

test('AWS: a token in a file is read anew whenever it is needed', async () => {
  const { identity } = awsIdentities().web!
  writeFileSync(tokenFile, 'expired')
  await assert.rejects(tokens.awsKeysFor(identity), { kind: 'auth' })
  writeFileSync(tokenFile, WEB_TOKEN)
  assert.match((await tokens.awsKeysFor(identity)).accessKeyId, /^ASIA-web/)
  const agent = { kind: 'container' as const, url: `${cloud.url}/v2/credentials/task`, tokenFile }
  await assert.rejects(tokens.awsKeysFor(agent), { kind: 'auth' })
  writeFileSync(tokenFile, 'token-of-agent\n')
  assert.match((await tokens.awsKeysFor(agent)).accessKeyId, /^ASIA-container/)
})

test('keys are fetched once for calls that arrive together, and renewed before they expire while calls go on', async () => {
  const { identity } = awsIdentities().machine!
  const together = await Promise.all([1, 2, 3].map(() => tokens.awsKeysFor(identity)))
  assert.deepEqual([new Set(together).size, cloud.requests.length], [1, 3])
  clock.monotonic += LIFETIME_SECONDS * 1_000 - 300_000
  clock.now += LIFETIME_SECONDS * 1_000 - 300_000
  assert.equal(await tokens.awsKeysFor(identity), together[0])
  while ((await tokens.awsKeysFor(identity)) === together[0]) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(cloud.requests.length, 6)
})

function exchanges(): Record<string, { exchange: TokenExchange; ways: string[] }> {
  const { url } = cloud
  const federation = {
    kind: 'google-federation' as const,
    tokenUrl: `${url}/google/sts`,
    audience: '//iam.googleapis.com/pool',
    subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
  }
  const keys = { accessKeyId: 'AKIA', secretAccessKey: 's', sessionToken: undefined }
  const verificationUrl = 'https://sts.eu-west-1.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15'
  return {
    'google-machine': {
      exchange: {
        kind: 'google-machine',
        tokenUrl: `${url}/computeMetadata/v1/instance/service-accounts/default/token`,
        headers: { 'metadata-flavor': 'Google' },
      },
      ways: ['direct'],
    },
    'google-federated': { exchange: { ...federation, subject: { file: tokenFile } }, ways: ['proxy'] },
    'google-impersonated': {
      exchange: {
        ...federation,
        subject: { url: `${url}/google/subject`, headers: { 'x-subject': 'yes' }, field: 'value' },
        impersonationUrl: `${url}/google/impersonate`,
      },
      ways: ['direct', 'proxy', 'proxy'],
    },
    'google-federated-': {
      exchange: { ...federation, subject: { aws: { kind: 'keys', keys }, region: 'eu-west-1', verificationUrl } },
      ways: ['proxy'],
    },
    'azure-machine': {
      exchange: {
        kind: 'azure-machine',
        tokenUrl: `${url}/metadata/identity/oauth2/token?resource=https%3A%2F%2Fcognitiveservices.azure.com%2F`,
        headers: { metadata: 'true' },
      },
      ways: ['direct'],
    },
    'azure-app': {
      exchange: {
        kind: 'azure-machine',
        tokenUrl: `${url}/msi/token?resource=https%3A%2F%2Fcognitiveservices.azure.com%2F`,
        headers: { 'x-identity-header': 'header-of-app' },
      },
      ways: ['direct'],
    },
    'azure-federated': {
      exchange: {
        kind: 'azure-federation',
        tokenUrl: `${url}/tenant/oauth2/v2.0/token`,
        clientId: 'client',
        tokenFile,
      },
      ways: ['proxy'],
    },
  }
}

test('Google and Azure: every identity gets its token, for as long as the answer says', async () => {
  for (const [kind, { exchange, ways: expected }] of Object.entries(exchanges())) {
    ways = []
    const token = await tokens.tokenFor(exchange)
    assert.match(token, new RegExp(`^${kind}`))
    assert.deepEqual(ways, expected, kind)
    clock.monotonic += LIFETIME_SECONDS * 1_000 - 301_000
    clock.now += LIFETIME_SECONDS * 1_000 - 301_000
    assert.equal(await tokens.tokenFor(exchange), token, kind)
    assert.deepEqual(ways, expected, kind)
  }
})

test('a federated token that cannot be read is a refused credential, and no server is asked', async () => {
  const missing = join(folder, 'missing')
  const { exchange } = exchanges()['azure-federated']!
  await assert.rejects(tokens.tokenFor({ ...exchange, tokenFile: missing } as TokenExchange), { kind: 'auth' })
  writeFileSync(tokenFile, ' \n')
  await assert.rejects(tokens.tokenFor(exchange), { kind: 'auth' })
  assert.deepEqual(ways, [])
})

test('a machine without a metadata server is a failure of the wire, and the next call asks again', async () => {
  const url = `http://127.0.0.1:${await freePort('127.0.0.1', 0)}`
  for (let call = 0; call < 2; call++)
    await assert.rejects(tokens.awsKeysFor({ kind: 'machine', url }), (error) => error instanceof WireFailure)
  assert.deepEqual(ways, ['direct', 'direct'])
})
