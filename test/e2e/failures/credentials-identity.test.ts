import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { startCloudMetadata } from '../../fakes/cloud-metadata.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { startGateway } from '../../gateway/gateway-under-test.ts'

// Providers of clouds without any key: the machine says who it is.

const cloud = await startCloudMetadata()
const fake = await startFakeProvider({ everyPath: true })
fake.always(answer())
const gateway = await startGateway({
  env: {
    AWS_EC2_METADATA_SERVICE_ENDPOINT: cloud.url,
    BEDROCK_BASE_URL: fake.url,
    GCE_METADATA_HOST: cloud.host,
    GOOGLE_CLOUD_PROJECT: 'p',
    VERTEX_BASE_URL: fake.url,
    AZURE_POD_IDENTITY_AUTHORITY_HOST: cloud.url,
    AZURE_BASE_URL: fake.url,
  },
})
const chat = chatClient(gateway.url)
after(async () => {
  await gateway.close()
  await Promise.all([fake.close(), cloud.close()])
})

test('every cloud is called with what its metadata server handed out before the first call', async () => {
  for (const model of ['amazon/anthropic.claude-x', 'vertex/gemini-x', 'azure/deployment', 'azure/deployment'])
    await chat.whole({ ...HELLO, model })
  const [bedrock, vertex, azure, again] = fake.requests.map(({ headers }) => headers)
  assert.match(bedrock?.authorization ?? '', /^AWS4-HMAC-SHA256 Credential=ASIA-machine-\d+\/\d+\/us-east-1\/bedrock\//)
  assert.equal(bedrock?.['x-amz-security-token'], 'session-of-machine')
  assert.match(vertex?.authorization ?? '', /^Bearer google-machine-\d+$/)
  assert.match(azure?.authorization ?? '', /^Bearer azure-machine-\d+$/)
  assert.deepEqual([azure?.['api-key'], again?.authorization], [undefined, azure?.authorization])
  const asked = (path: string) => cloud.requests.filter((request) => request.includes(path)).length
  const paths = ['/latest/api/token', '/computeMetadata/', '/metadata/identity/']
  assert.deepEqual(paths.map(asked), [1, 1, 1])
})

test('a start without a metadata server is not delayed: the gateway answers, and the log says what is missing', async () => {
  const lost = await startGateway({
    env: { CLOUD_IDENTITY: 'aws', AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' },
  })
  try {
    const { status } = await chatClient(lost.url).whole({ ...HELLO, model: 'sandbox/echo' })
    assert.equal(status, 200)
    const failed = await chatClient(lost.url).whole({ ...HELLO, model: 'amazon/anthropic.claude-x' })
    assert.equal(failed.status, 502)
    assert.match(lost.logs(), /the identity of this machine cannot be used yet/)
  } finally {
    await lost.close()
  }
})
