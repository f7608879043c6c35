import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sharedPrivateKey } from '../../../test/fakes/signing-key.ts'
import { sha256Hex, signRequest } from '../../platform/net/sigv4.ts'
import type { Credential, Provider } from '../../platform/config/provider-settings.ts'
import { readProviders } from '../../platform/config/provider-settings.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { WireRequest } from '../../translation/wire/wire.ts'
import { authorize, authorizeForService } from './authorize.ts'

const NOW = Date.parse('2026-11-15T06:00:00Z')
const AWS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret-of-test' }
const OUTSIDE = {
  now: () => NOW,
  accessTokens: {
    tokenFor: async () => 'token-of-test',
    awsKeysFor: () => assert.fail('No test has an identity of AWS.'),
  },
}
const ACCOUNT = JSON.stringify({
  client_email: 'robot@project.example',
  private_key: sharedPrivateKey().export({ type: 'pkcs8', format: 'pem' }),
})

describe('services of Amazon', () => {
  const request = {
    method: 'POST',
    url: 'https://textract.eu-west-1.amazonaws.com/',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'Textract.DetectDocumentText' },
    body: '{"Document":{}}',
  } as const

  test('every header is signed, for the service and the region', async () => {
    const signed = await proved('amazon', { ...AWS, AWS_REGION: 'eu-west-1' }, request, 'textract')
    const names = 'content-type;host;x-amz-date;x-amz-target'
    assert.match(
      signed.authorization!,
      new RegExp(`/20261115/eu-west-1/textract/aws4_request, SignedHeaders=${names},`),
    )
    const { method, url, headers, body } = request
    const credentials = { accessKeyId: AWS.AWS_ACCESS_KEY_ID, secretAccessKey: AWS.AWS_SECRET_ACCESS_KEY }
    const scope = { credentials, region: 'eu-west-1', service: 'textract', now: new Date(NOW) }
    assert.deepEqual(signed, signRequest({ method, url, headers, payloadHash: sha256Hex(body) }, scope))
  })

  test('a request to a bucket is signed with the hash of its body', async () => {
    const put = {
      method: 'PUT',
      url: 'https://s3.test/bucket/a',
      headers: { 'content-type': 'image/png' },
      body: 'x',
    } as const
    const signed = await proved('amazon', AWS, put, 's3')
    assert.equal(signed['x-amz-content-sha256'], sha256Hex('x'))
    assert.match(signed.authorization!, /SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date,/)
  })

  test('a Bedrock key is used for models, and the account’s keys for services', async () => {
    const both = { ...AWS, AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key' }
    assert.equal((await proved('amazon', both, request)).authorization, 'Bearer bedrock-key')
    assert.match((await proved('amazon', both, request, 'textract')).authorization!, /^AWS4-HMAC-SHA256 /)
    const alone = proved('amazon', { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key' }, request, 'textract')
    await assert.rejects(alone, (error) => error instanceof UpstreamProblem && error.kind === 'auth')
  })
})

describe('services of other providers', () => {
  const request = { method: 'POST', url: 'https://x.test/', headers: {}, body: '{}' } as const

  test('Google: a service account where there is one, otherwise the key', async () => {
    const key = { GEMINI_API_KEY: 'key-of-test' }
    assert.deepEqual(await proved('google', key, request, 'vision'), { 'x-goog-api-key': 'key-of-test' })
    const both = { ...key, GOOGLE_APPLICATION_CREDENTIALS: ACCOUNT }
    assert.deepEqual(await proved('google', both, request, 'vision'), { authorization: 'Bearer token-of-test' })
    assert.deepEqual(await proved('google', both, request), { 'x-goog-api-key': 'key-of-test' })
  })

  test('Microsoft: one key for all services', async () => {
    const env = { MICROSOFT_API_KEY: 'key-of-test', MICROSOFT_RESOURCE_NAME: 'example' }
    assert.deepEqual(await proved('microsoft', env, request), { 'ocp-apim-subscription-key': 'key-of-test' })
    assert.deepEqual(await proved('microsoft', env, request, 'tts'), { 'ocp-apim-subscription-key': 'key-of-test' })
  })
})

async function proved(id: string, environment: Record<string, string>, request: WireRequest, service?: string) {
  const provider = readProviders({}, environment)[id] as Provider
  const credential = provider.credentials[0] as Credential
  const own = { ...request, headers: { ...request.headers } }
  const authorized = service
    ? await authorizeForService(own, { provider, credential, service }, OUTSIDE)
    : await authorize(own, provider, credential, OUTSIDE)
  return authorized.headers
}
