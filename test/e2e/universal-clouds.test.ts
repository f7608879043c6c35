import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { png } from '../../src/blobs/sniff/fixtures/small-files.ts'
import { recordingOf } from '../../src/features/calls/fixtures/recording.ts'
import * as fake from '../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts'
import { type TaskClient, taskClient } from './task-client.ts'

const SECRET = 'canary-secret-0123456789abcdef'

describe('tasks at the clouds', () => {
  let provider: FakeProvider
  let gateway: GatewayUnderTest
  let client: TaskClient
  before(async () => {
    provider = await startFakeProvider({ everyPath: true })
    gateway = await startGateway({
      env: {
        AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
        AWS_SECRET_ACCESS_KEY: SECRET,
        AMAZON_REKOGNITION_BASE_URL: provider.url,
        GEMINI_API_KEY: SECRET,
        GOOGLE_LANGUAGE_BASE_URL: provider.url,
        MICROSOFT_API_KEY: SECRET,
        MICROSOFT_BASE_URL: provider.url,
      },
    })
    client = taskClient(gateway.url)
  })
  after(async () => {
    await gateway?.close()
    await provider?.close()
  })
  beforeEach(() => provider.reset())

  test('Amazon: a picture, signed for the service and priced', async () => {
    provider.always(recorded('image/explicit_content/amazon'))
    const { file_id } = await client.store(png(4, 4), 'a.png')
    const { status, body, text } = await client.run({
      model: 'image/explicit_content/amazon',
      input: { file: file_id },
    })
    assert.deepEqual([status, body.provider, body.cost], [200, 'amazon', 0.001], text)
    const { headers } = provider.requests[0]!
    assert.equal(headers['x-amz-target'], 'RekognitionService.DetectModerationLabels')
    assert.match(headers.authorization!, /us-east-1\/rekognition\/aws4_request, SignedHeaders=\S*x-amz-target, /)
  })

  test('Google: a text, with the key in its header', async () => {
    provider.always(recorded('text/moderation/google'))
    const { body, text } = await client.run({ model: 'text/moderation/google', input: { text: 'x'.repeat(150) } })
    assert.equal(body.cost, 0.001, text)
    assert.equal(provider.requests[0]!.headers['x-goog-api-key'], SECRET)
  })

  test('Microsoft: an analysis is started and waited for', async () => {
    const [start, done] = (recordingOf('ocr/ocr/microsoft') as never as { answers: Answer[] }).answers
    provider.next(replay(start!))
    provider.next(replay(done!))
    const { file_id } = await client.store(png(4, 4), 'a.png')
    const { body, text } = await client.run({ model: 'ocr/ocr/microsoft', input: { file: file_id } })
    assert.deepEqual(
      [body.provider, body.cost, (body.output as { text: string }).text],
      ['microsoft', 0.0015, 'MIND THE GAP'],
      text,
    )
    assert.deepEqual(
      provider.requests.map(({ method, headers }) => [method, headers['ocp-apim-subscription-key']]),
      [
        ['POST', SECRET],
        ['GET', SECRET],
      ],
    )
  })

  test('a setting that is missing is asked for by its name', async () => {
    const { file_id } = await client.store(png(4, 4), 'a.png')
    const job = await client.submit({ model: 'ocr/ocr_async/amazon', input: { file: file_id } })
    assert.match(JSON.stringify(await client.ended(job.body.public_id)), /Set AMAZON_STAGING_BUCKET/)
    const now = await client.run({ model: 'audio/tts/microsoft', input: { text: 'x' } })
    assert.deepEqual([now.status, now.body.error.code], [424, 'provider_not_configured'], now.text)
    assert.match(now.text, /Set MICROSOFT_REGION/)
    assert.equal(provider.requests.length, 0)
  })

  test('a kind of file that one does not take is told, or done by another', async () => {
    const { file_id } = await client.store('%PDF-1.4\n', 'a.pdf')
    const asked = { model: 'image/explicit_content/amazon', input: { file: file_id } }
    const alone = await client.run(asked)
    assert.deepEqual([alone.status, alone.body.error.code], [415, 'unsupported_media_type'], alone.text)
    const helped = await client.run({ ...asked, fallbacks: ['sandbox'] })
    assert.deepEqual([helped.status, helped.body.provider], [200, 'sandbox'])
    assert.equal(provider.requests.length, 0)
  })

  test('what a cloud says of our credential stays here', async () => {
    provider.always(fake.status(400, { __type: 'AccessDeniedException', Message: `User AKIDEXAMPLE ${SECRET}` }))
    const { file_id } = await client.store(png(4, 4), 'a.png')
    const { status, text } = await client.run({ model: 'image/object_detection/amazon', input: { file: file_id } })
    assert.equal(status, 502)
    assert.doesNotMatch(text, /canary|AKID|127\.0\.0\.1/)
  })
})

type Answer = { status: number; headers: Record<string, string>; json?: object }

function recorded(address: string): fake.Behaviour {
  return replay(recordingOf(address) as Answer)
}

function replay({ status, headers, json = {} }: Answer): fake.Behaviour {
  const { 'content-type': _, ...others } = headers
  return fake.status(status, json, others)
}
