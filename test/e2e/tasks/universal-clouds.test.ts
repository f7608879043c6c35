import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { png } from '../../../src/base/sniff/fixtures/small-files.ts'
import { recordingOf } from '../../../src/translation/tasks/http/fixtures/recording.ts'
import { insertCollection } from '../../../src/platform/store/collections.ts'
import { projectOwner } from '../../../src/platform/store/owner.ts'
import type { RequestList } from '../../../src/contract/admin/requests.ts'
import * as fake from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { idle } from '../../gateway/gateway-with-fakes.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

const AMAZON = 'image/face_recognition/amazon'
const SANDBOX = 'image/face_recognition/sandbox'
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
        AFFINDA_API_KEY: SECRET,
        FACEPP_API_KEY: `user:${SECRET}`,
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

  test('Amazon: an image, signed for the service and priced', async () => {
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

  test('a missing setting is named in the error', async () => {
    const { file_id } = await client.store(png(4, 4), 'a.png')
    const job = await client.submit({ model: 'ocr/ocr_async/amazon', input: { file: file_id } })
    assert.match(JSON.stringify(await client.ended(job.body.public_id)), /Set AMAZON_STAGING_BUCKET/)
    const now = await client.run({ model: 'audio/tts/microsoft', input: { text: 'x' } })
    assert.deepEqual([now.status, now.body.error.code], [424, 'provider_not_configured'], now.text)
    assert.match(now.text, /Set MICROSOFT_REGION/)
    const cv = await client.run({ model: 'ocr/resume_parser/affinda', input: { file: file_id } })
    assert.deepEqual([cv.status, cv.body.error.code], [424, 'provider_not_configured'], cv.text)
    assert.match(cv.text, /Set AFFINDA_RESUME_COLLECTION or AFFINDA_WORKSPACE/)
    assert.equal(provider.requests.length, 0)
  })

  test('a file type that one provider does not accept is refused, or handled by another provider', async () => {
    const { file_id } = await client.store('%PDF-1.4\n', 'a.pdf')
    const request = { model: 'image/explicit_content/amazon', input: { file: file_id } }
    const alone = await client.run(request)
    assert.deepEqual([alone.status, alone.body.error.code], [415, 'unsupported_media_type'], alone.text)
    const helped = await client.run({ ...request, fallbacks: ['sandbox'] })
    assert.deepEqual([helped.status, helped.body.provider], [200, 'sandbox'])
    assert.equal(provider.requests.length, 0)
  })

  test('collections of faces: made at the provider, filled, looked in, emptied and deleted', async () => {
    const answers = [{ StatusCode: 200 }, { FaceRecords: [{ Face: { FaceId: 'f1' } }, { Face: { FaceId: 'f2' } }] }]
    for (const json of answers) provider.next(fake.status(200, json))
    const { id, path } = await madeCollection()
    const { file_id } = await client.store(png(4, 4), 'a.png')
    const added = await client.post<object>(`${path}/items`, { file: file_id })
    const item_ids = ['f1', 'f2']
    assert.deepEqual([added.status, added.body], [201, { collection_id: id, item_ids, cost: 0.001 }], added.text)
    assert.equal(added.headers.get('x-gatehouse-cost'), '0.001')
    assert.deepEqual((await client.get<{ item_ids: string[] }>(`${path}/items`)).body.item_ids, item_ids)
    provider.next(recorded('image/face_recognition/amazon'))
    const input = { collection_id: id, file: file_id }
    const found = await client.run({ model: 'image/face_recognition/amazon', input })
    assert.deepEqual([found.status, (found.body.output as { items: unknown[] }).items.length], [200, 2], found.text)
    provider.next(fake.status(200, { DeletedFaces: ['f1'] }))
    const gone = await client.delete<object>(`${path}/items/f1`)
    assert.deepEqual(gone.body, { collection_id: id, item_id: 'f1', deleted: true })
    assert.equal((await client.delete(`${path}/items/f1`)).status, 404)
    provider.next(fake.status(400, { __type: 'ResourceNotFoundException', Message: 'gone' }))
    assert.deepEqual((await client.delete<object>(path)).body, { collection_id: id, deleted: true })
    assert.equal((await client.delete(path)).status, 404)
    assert.deepEqual(
      provider.requests.map(({ headers }) => String(headers['x-amz-target']).split('.')[1]),
      ['CreateCollection', 'IndexFaces', 'SearchFacesByImage', 'DeleteFaces', 'DeleteCollection'],
    )
  })

  test('collections of faces: an image is paid, although the caller leaves before it is stored', async () => {
    provider.next(fake.status(200, { StatusCode: 200 }))
    provider.next(fake.silence())
    const { path } = await madeCollection()
    const { file_id } = await client.store(png(4, 4), 'a.png')
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const leaving = new AbortController()
    const order = { method: 'POST', headers, body: JSON.stringify({ file: file_id }), signal: leaving.signal }
    const sent = fetch(`${gateway.url}${path}/items`, order)
    await provider.request(1)
    leaving.abort()
    await assert.rejects(sent)
    await idle(gateway)
    const { body } = await adminClient(gateway.adminUrl).get<RequestList>('/admin/requests?limit=1')
    const [line] = body.items
    assert.deepEqual([line?.status, line?.cost, line?.estimated], [499, 0.001, true])
    provider.next(fake.status(200, { StatusCode: 200 }))
    assert.equal((await client.delete(path)).status, 200)
  })

  test('collections of faces: another owner sees and touches none of them, nor does a sandbox key', async () => {
    provider.next(fake.status(200, { StatusCode: 200 }))
    const { id, path } = await madeCollection()
    const { file_id } = await client.store(png(4, 4), 'a.png')
    const admin = adminClient(gateway.adminUrl)
    const strangers = [{ owner: 'stranger' }, { owner: 'default', kind: 'sandbox' }]
    for (const options of strangers) {
      const other = taskClient(gateway.url, (await admin.issue(options)).key)
      assert.equal((await other.get(path)).status, 404)
      assert.equal((await other.get(`${path}/items`)).status, 404)
      assert.equal((await other.post(`${path}/items`, { file: file_id })).status, 404)
      assert.equal((await other.delete(`${path}/items/f1`)).status, 404)
      assert.equal((await other.delete(path)).status, 404)
      assert.equal((await other.get<{ total: number }>('/v3/universal-ai/collections')).body.total, 0)
    }
    const other = taskClient(gateway.url, (await admin.issue({ owner: 'stranger' })).key)
    const request = {
      model: 'image/face_recognition/amazon',
      input: { collection_id: id, file: 'https://a.example/b' },
    }
    for (const reply of [await other.run(request), await other.submit(request)])
      assert.deepEqual([reply.status, reply.body.error.message], [404, 'There is no such collection.'], reply.text)
    const elsewhere = await client.run({ ...request, model: 'image/face_recognition/facepp' })
    assert.deepEqual([elsewhere.status, elsewhere.body.detail[0]?.loc.at(-1)], [422, 'collection_id'], elsewhere.text)
    assert.equal((await client.get<{ total: number }>(`/v3/universal-ai/collections?model=${AMAZON}`)).body.total, 1)
    assert.equal(provider.requests.length, 1)
  })

  test('collections of faces: what the provider refuses to make is not there, and not every task has them', async () => {
    provider.next(fake.status(400, { __type: 'AccessDeniedException', Message: `User AKIDEXAMPLE ${SECRET}` }))
    const refused = await client.post('/v3/universal-ai/collections', { model: AMAZON })
    assert.equal(refused.status, 502)
    assert.doesNotMatch(refused.text, /canary|AKID/)
    assert.equal((await client.get<{ total: number }>('/v3/universal-ai/collections')).body.total, 1)
    const wrong = await client.post('/v3/universal-ai/collections', { model: 'image/face_detection/amazon' })
    assert.deepEqual([wrong.status, wrong.body.detail[0]?.loc], [422, ['body', 'model']])
    const sandbox = await client.post<{ collection_id: string }>('/v3/universal-ai/collections', { model: SANDBOX })
    const { file_id } = await client.store(png(4, 4), 'a.png')
    const path = `/v3/universal-ai/collections/${sandbox.body.collection_id}`
    const added = await client.post<{ item_ids: string[]; cost: number }>(`${path}/items`, { file: file_id })
    assert.deepEqual([added.status, added.body.item_ids.length, added.body.cost], [201, 1, 0], added.text)
    assert.equal(provider.requests.length, 1)
  })

  test('collections of faces: an owner may have a thousand, and the error says what to do', async () => {
    const owner = 'collector'
    const collector = taskClient(gateway.url, (await adminClient(gateway.adminUrl).issue({ owner })).key)
    const mine = { ...projectOwner({ organization: 'default', project: owner }), kind: 'live' }
    const one = { model: AMAZON, provider: 'amazon', name: null }
    const { db } = gateway.gateway.services.calls
    const insert = () => insertCollection(db, mine, { ...one, id: randomUUID() }, 1_000)
    await Promise.all(Array.from({ length: 1_000 }, insert))
    const refused = await collector.post('/v3/universal-ai/collections', { model: AMAZON })
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'], refused.text)
    assert.match(refused.body.error.message, /1,000 collections.*: delete one/)
    assert.equal(provider.requests.length, 0)
  })

  async function madeCollection() {
    const request = { model: AMAZON, name: 'Staff' }
    const made = await client.post<{ collection_id: string }>('/v3/universal-ai/collections', request)
    const id = made.body.collection_id
    assert.deepEqual([made.status, made.body], [201, { collection_id: id, ...request }], made.text)
    const path = `/v3/universal-ai/collections/${id}`
    assert.deepEqual((await client.get<object>(path)).body, made.body)
    return { id, path }
  }

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
