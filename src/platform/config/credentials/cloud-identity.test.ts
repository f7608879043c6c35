import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROVIDERS } from '../../providers/providers.ts'
import { ConfigError } from '../config-error.ts'
import { readProviders } from '../provider-settings.ts'

// Identities that a cloud gives this process, by the variables of the clouds' own SDKs.

const WEB = { AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/token', AWS_ROLE_ARN: 'arn:aws:iam::1:role/r' }
const WEB_IDENTITY = {
  kind: 'web identity',
  url: 'https://sts.us-east-1.amazonaws.com',
  roleArn: WEB.AWS_ROLE_ARN,
  sessionName: 'gatehouse',
  tokenFile: '/var/run/token',
}
const MACHINE = { kind: 'machine', url: 'http://169.254.169.254' }

test('without a sign of a cloud no provider is set up, and nothing is asked', () => {
  const providers = readProviders({}, { GOOGLE_CLOUD_PROJECT: 'p', AZURE_RESOURCE_NAME: 'r' })
  for (const id of ['amazon', 'vertex', 'azure']) assert.equal(providers[id]?.configured, false, id)
})

test('AWS: a web identity before a container before the machine, and keys before all', () => {
  const container = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/id' }
  const all = { ...WEB, ...container, CLOUD_IDENTITY: 'aws' }
  assert.deepEqual(amazon(all)?.awsIdentity, WEB_IDENTITY)
  assert.deepEqual(amazon({ ...container, CLOUD_IDENTITY: 'aws' })?.awsIdentity, {
    kind: 'container',
    url: 'http://169.254.170.2/v2/id',
    token: undefined,
    tokenFile: undefined,
  })
  assert.deepEqual(amazon({ CLOUD_IDENTITY: 'google, aws' })?.awsIdentity, MACHINE)
  const keys = { ...all, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's' }
  assert.equal(amazon(keys)?.awsIdentity, undefined)
  assert.equal(amazon({ ...all, AWS_BEARER_TOKEN_BEDROCK: 'b' })?.secret, 'b')
  assert.equal(amazon({ CLOUD_IDENTITY: 'aws', AWS_EC2_METADATA_DISABLED: 'true' }), undefined)
})

test('AWS: addresses follow the region and their variables', () => {
  const url = (environment: object) => (amazon({ ...WEB, ...environment })!.awsIdentity as { url: string }).url
  assert.equal(url({ AWS_REGION: 'eu-west-3' }), 'https://sts.eu-west-3.amazonaws.com')
  assert.equal(url({ AWS_REGION: 'cn-north-1' }), 'https://sts.cn-north-1.amazonaws.com.cn')
  assert.equal(url({ AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:9' }), 'http://127.0.0.1:9')
  const moved = { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:9/' }
  assert.deepEqual(amazon(moved)?.awsIdentity, { kind: 'machine', url: 'http://127.0.0.1:9' })
  for (const wrong of ['http://evil.test/x', 'http://10.0.0.1/x', 'ftp://127.0.0.1'])
    assert.throws(() => amazon({ AWS_CONTAINER_CREDENTIALS_FULL_URI: wrong }), ConfigError, wrong)
  for (const right of ['https://agent.test/x', 'http://127.0.0.1:8/x', 'http://169.254.170.23/v1/credentials'])
    assert.ok(amazon({ AWS_CONTAINER_CREDENTIALS_FULL_URI: right }), right)
})

test('AWS: the identity opens the services too', () => {
  const { amazon: provider } = readProviders({}, { ...WEB, AWS_BEARER_TOKEN_BEDROCK: 'b' })
  assert.deepEqual(provider?.serviceCredential?.awsIdentity, WEB_IDENTITY)
})

test('Google: the metadata server if it is wanted', () => {
  const project = { GOOGLE_CLOUD_PROJECT: 'p' }
  const { vertex, google } = readProviders({}, { ...project, CLOUD_IDENTITY: 'google' })
  const token = '/computeMetadata/v1/instance/service-accounts/default/token'
  const exchange = { kind: 'google-machine', headers: { 'metadata-flavor': 'Google' } }
  assert.equal(vertex?.configured, true)
  for (const credential of [vertex?.credentials[0], google?.serviceCredential])
    assert.deepEqual(credential?.exchange, { ...exchange, tokenUrl: `http://metadata.google.internal${token}` })
  const moved = readProviders({}, { ...project, GCE_METADATA_HOST: '127.0.0.1:9' }).vertex
  assert.equal(moved?.credentials[0]?.exchange?.tokenUrl, `http://127.0.0.1:9${token}`)
  assert.throws(() => readProviders({}, { GCE_METADATA_HOST: 'a/b' }), { message: /GCE_METADATA_HOST/ })
})

test('Azure: a federated token before the identity endpoint of an app before the machine', () => {
  const machine = { CLOUD_IDENTITY: 'azure', AZURE_CLIENT_ID: 'c' }
  const app = { ...machine, IDENTITY_ENDPOINT: 'http://127.0.0.1:41/msi/token', IDENTITY_HEADER: 'h' }
  const federated = { ...app, AZURE_TENANT_ID: 't', AZURE_FEDERATED_TOKEN_FILE: '/token' }
  assert.deepEqual(azure(federated), {
    kind: 'azure-federation',
    tokenUrl: 'https://login.microsoftonline.com/t/oauth2/v2.0/token',
    clientId: 'c',
    tokenFile: '/token',
  })
  const query = 'resource=https%3A%2F%2Fcognitiveservices.azure.com%2F&client_id=c'
  assert.deepEqual(azure(app), {
    kind: 'azure-machine',
    tokenUrl: `http://127.0.0.1:41/msi/token?api-version=2019-08-01&${query}`,
    headers: { 'x-identity-header': 'h' },
  })
  assert.deepEqual(azure(machine), {
    kind: 'azure-machine',
    tokenUrl: `http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&${query}`,
    headers: { metadata: 'true' },
  })
})

test('a listed identity is a wish to ask the machine; a provider without identities refuses it', () => {
  const machine = [{ name: 'role', identity: 'machine' as const, weight: 2 }]
  const { amazon: provider } = readProviders({}, { AWS_ACCESS_KEY_ID: 'id' }, { listed: { amazon: machine } })
  assert.deepEqual(provider?.credentials, [
    { name: 'role', secret: undefined, weight: 2, awsIdentity: MACHINE, from: { kind: 'identity' } },
  ])
  assert.throws(() => readProviders({}, {}, { listed: { openai: machine } }), ConfigError)
})

test('every provider that a cloud opens says which cloud', () => {
  const clouds = Object.entries(PROVIDERS).flatMap(([id, { auth }]) =>
    auth.identity ? [`${id}: ${auth.identity}`] : [],
  )
  assert.deepEqual(clouds.sort(), ['amazon: aws', 'azure: azure', 'vertex: google'])
})

function amazon(environment: Record<string, string>) {
  return readProviders({}, environment).amazon?.credentials[0]
}

function azure(environment: Record<string, string>) {
  const { azure: provider } = readProviders({}, { ...environment, AZURE_RESOURCE_NAME: 'r' })
  assert.equal(provider?.configured, true)
  return provider?.credentials[0]?.exchange
}
