import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { BadRequestError, ConflictError, NotFoundError, OpenAI, toFile, UnprocessableEntityError } from 'openai'
import { EXAMPLE_MP4 } from '../../src/translation/tasks/example-files.ts'
import { silence, status } from '../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { adminClient } from '../gateway/admin-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { taskClient } from '../gateway/task-client.ts'

// OpenAI's SDK makes, lists, downloads and deletes videos of every provider.

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)
const ASKED = { model: 'sandbox', prompt: 'Waves roll in at dusk', seconds: '8', size: '1280x720' } as const
type Owned = OpenAI.Video & { provider: string; cost: number | null }

describe('videos, by the official SDK', () => {
  let gateway: GatewayUnderTest
  let fake: FakeProvider
  let client: OpenAI
  before(async () => {
    fake = await startFakeProvider({ everyPath: true })
    const google = { GEMINI_BASE_URL: fake.url, GEMINI_API_KEY: 'key-0123456789' }
    // Some videos are never made.
    gateway = await startGateway({ env: { ...google, DRAIN_SECONDS: '0' } })
    client = clientWith(API_KEY)
  })
  beforeEach(() => fake.reset())
  after(async () => {
    await gateway.close()
    await fake.close()
  })

  function clientWith(apiKey: string): OpenAI {
    return new OpenAI({ apiKey, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
  }

  async function made(body: OpenAI.VideoCreateParams, by = client): Promise<Owned> {
    const { id } = await by.videos.create(body)
    await taskClient(gateway.url, by.apiKey!).ended(id)
    return (await by.videos.retrieve(id)) as Owned
  }

  test('a video is made from a form and from JSON, and is a job of the task', async () => {
    const created = (await client.videos.create(ASKED)) as Owned
    assert.deepEqual(
      [created.object, created.prompt, created.seconds, created.size, created.model, created.cost],
      ['video', ASKED.prompt, '8', '1280x720', 'sandbox', 0],
    )
    assert.ok(['queued', 'in_progress', 'completed'].includes(created.status))
    const video = await made(ASKED)
    assert.deepEqual([video.status, video.progress, video.provider, video.error], ['completed', 100, 'sandbox', null])
    assert.ok(video.completed_at! >= video.created_at && video.expires_at! > video.completed_at!)
    const job = await taskClient(gateway.url).ended(video.id)
    assert.deepEqual([job.feature, job.subfeature], ['video', 'generation_async'])
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const asJson = await fetch(`${gateway.url}/v1/videos`, { method: 'POST', headers, body: JSON.stringify(ASKED) })
    assert.equal(asJson.status, 200)
    const plain = (await client.videos.create({ model: 'sandbox', prompt: 'A door' })) as Owned
    assert.deepEqual([plain.seconds, plain.size], [null, null])
  })

  test('its bytes are downloaded, and only the video has bytes', async () => {
    const { id } = await made(ASKED)
    const content = await client.videos.downloadContent(id)
    assert.deepEqual(Buffer.from(await content.arrayBuffer()).toString('base64'), EXAMPLE_MP4)
    await assert.rejects(client.videos.downloadContent(id, { variant: 'thumbnail' }), BadRequestError)
  })

  test('an image is sent as a file, or named by id', async () => {
    fake.always(status(200, { name: 'models/veo/operations/1' }))
    const form = { model: 'google/veo-3.1-generate-preview', prompt: 'It moves' }
    await client.videos.create({ ...form, input_reference: await toFile(PNG, 'door.png') })
    const { file_id } = await taskClient(gateway.url).store(PNG, 'door.png')
    await client.videos.create({ ...form, input_reference: { file_id } })
    for (const index of [0, 1]) {
      const { instances } = (await startsAt(index)) as { instances: { image: { bytesBase64Encoded: string } }[] }
      assert.equal(instances[0]!.image.bytesBase64Encoded, PNG.toString('base64'))
    }
  })

  test('the same form with the same key makes no second video, and its image is kept once', async () => {
    const { key } = await adminClient(gateway.adminUrl).issue()
    const own = clientWith(key)
    const send = async (image: Buffer) => {
      const body = { ...ASKED, input_reference: await toFile(image, 'door.png') }
      return await own.videos.create(body, { headers: { 'idempotency-key': 'one' } })
    }
    const first = await send(PNG)
    assert.equal((await send(PNG)).id, first.id)
    await assert.rejects(send(Buffer.concat([PNG, PNG])), ConflictError)
    const { data } = await own.files.list()
    assert.equal(data.length, 1, JSON.stringify(data))
  })

  /** The requests that start a video, without those that ask how it is. */
  async function startsAt(wanted: number): Promise<unknown> {
    for (let index = 0, starts = 0; ; index++) {
      const { path, body } = await fake.request(index)
      if (path.endsWith(':predictLongRunning') && starts++ === wanted) return body
    }
  }

  test('a video that is being made cannot be deleted or downloaded, and one that has ended can', async () => {
    fake.always(silence())
    const { id } = await client.videos.create({ model: 'google', prompt: 'Slow' })
    await fake.request(0)
    assert.equal((await client.videos.retrieve(id)).status, 'in_progress')
    await assert.rejects(client.videos.delete(id), ConflictError)
    await assert.rejects(client.videos.downloadContent(id), ConflictError)
    const { id: other } = await made(ASKED)
    assert.deepEqual(await client.videos.delete(other), { id: other, object: 'video.deleted', deleted: true })
    await assert.rejects(client.videos.retrieve(other), NotFoundError)
  })

  test('a failure is in the object', async () => {
    fake.always(status(400, { error: { message: 'No such thing.' } }))
    const video = await made({ model: 'google', prompt: 'Impossible' })
    assert.deepEqual([video.status, video.progress, video.error?.code], ['failed', 0, 'video_generation_failed'])
    assert.match(video.error!.message, /No such thing/)
    await assert.rejects(client.videos.downloadContent(video.id), NotFoundError)
  })

  test('a list goes on behind the last one, and has only what is the caller’s, and only videos', async () => {
    const { key } = await adminClient(gateway.adminUrl).issue()
    const own = clientWith(key)
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.push((await made({ ...ASKED, prompt: `${count}` }, own)).id)
    await taskClient(gateway.url, key).submit({ model: 'text/moderation/sandbox', input: { text: 'Hi' } })
    const listed: string[] = []
    for await (const { id } of own.videos.list({ limit: 2 })) listed.push(id)
    assert.deepEqual(listed, ids.toReversed())
    const first: string[] = []
    for await (const { id } of own.videos.list({ limit: 3, order: 'asc' })) first.push(id)
    assert.deepEqual(first, ids)
    const mine = (await made(ASKED)).id
    await assert.rejects(own.videos.retrieve(mine), NotFoundError)
    await assert.rejects(own.videos.downloadContent(mine), NotFoundError)
    await assert.rejects(own.videos.delete(mine), NotFoundError)
    await assert.rejects(async () => await own.videos.list({ after: mine }), NotFoundError)
  })

  test('a job of another task is no video', async () => {
    const { body } = await taskClient(gateway.url).submit({ model: 'text/moderation/sandbox', input: { text: 'Hi' } })
    await assert.rejects(client.videos.retrieve(body.public_id), NotFoundError)
  })

  test('what is not done here is a clear 400, and a wrong field a 422', async () => {
    const { id } = await made(ASKED)
    const clip = await toFile(PNG, 'a.mp4')
    for (const ask of [
      () => client.videos.remix(id, { prompt: 'Again' }),
      () => client.videos.edit({ prompt: 'Again', video: { id } }),
      () => client.videos.extend({ prompt: 'Again', seconds: '4', video: { id } }),
      () => client.videos.createCharacter({ name: 'Ada', video: clip }),
      () => client.videos.getCharacter('char_1'),
    ])
      await assert.rejects(ask, (error) => {
        assert.ok(error instanceof BadRequestError && error.code === 'unsupported_endpoint', String(error))
        return true
      })
    const wrong: object[] = [{ seconds: '0' }, { seconds: 'long' }, { size: 'big' }, { prompt: '' }]
    for (const field of wrong)
      await assert.rejects(client.videos.create({ ...ASKED, ...field }), UnprocessableEntityError)
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    for (const field of [
      { fallbacks: ['sandbox'] },
      { unknown: 1 },
      { input_reference: { image_url: 'data:image/png;base64,AA==' } },
    ]) {
      const body = JSON.stringify({ ...ASKED, ...field })
      const sent = await fetch(`${gateway.url}/v3/videos`, { method: 'POST', headers, body })
      assert.equal(sent.status, 422, await sent.text())
    }
  })

  test('the list of models has what can make videos', async () => {
    const headers = { authorization: `Bearer ${API_KEY}` }
    const list = await fetch(`${gateway.url}/v3/videos/models`, { headers })
    const { data } = (await list.json()) as { data: { id: string }[] }
    assert.ok(
      data.some(({ id }) => id === 'google/veo-3.1-generate-preview') && data.some(({ id }) => id === 'sandbox'),
    )
  })
})
