import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import Anthropic, { NotFoundError, toFile } from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { createHash } from 'node:crypto'
import { sweepFiles } from '../../../src/calls/files/files.ts'
import { storedBytesOf } from '../../../src/platform/store/owner-scans.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { nextMillisecond } from '../../fakes/stores.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

const md5 = (text: string) => createHash('md5').update(text).digest('hex')
type Refused = { error: { code: string } }
const VERSION = { 'anthropic-version': '2023-06-01' }

describe('files and models in the shapes of other formats', () => {
  let gateway: GatewayUnderTest
  let client: TaskClient
  let anthropic: Anthropic
  before(async () => {
    gateway = await startGateway()
    client = taskClient(gateway.url)
    anthropic = new Anthropic({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
  })
  after(() => gateway?.close())
  beforeEach(async () => void (await client.delete('/v3/upload')))

  test("Anthropic's SDK uploads, reads, lists page by page and deletes files", async () => {
    const made: string[] = []
    for (const name of ['a.txt', 'b.txt', 'c.txt']) {
      await nextMillisecond(gateway.gateway.services.calls.db)
      const file = await anthropic.beta.files.upload({ file: await toFile(Buffer.from(`Hello, ${name}`), name) })
      assert.deepEqual(
        [file.type, file.filename, file.mime_type, file.size_bytes, file.downloadable],
        ['file', name, 'text/plain', 12, true],
      )
      made.unshift(file.id)
    }
    const listed: string[] = []
    for await (const file of anthropic.beta.files.list({ limit: 2 })) listed.push(file.id)
    assert.deepEqual(listed, made)
    assert.equal(await (await anthropic.beta.files.download(made[0]!)).text(), 'Hello, c.txt')
    assert.equal((await anthropic.beta.files.retrieveMetadata(made[1]!)).filename, 'b.txt')
    assert.deepEqual(await anthropic.beta.files.delete(made[0]!), { id: made[0], type: 'file_deleted' })
    await assert.rejects(anthropic.beta.files.retrieveMetadata(made[0]!), NotFoundError)
    await assert.rejects(anthropic.beta.files.delete('file_id'), NotFoundError)
  })

  test('a list of files has a cursor, a page before a file, and only the files that it names', async () => {
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) {
      await nextMillisecond(gateway.gateway.services.calls.db)
      ids.unshift((await client.store(name, `${name}.txt`)).file_id)
    }
    type Page = { data: { id: string }[]; has_more: boolean; next_page: string | null }
    const list = async (query: string) => (await client.get<Page>(`/v1/files?${query}`, VERSION)).body
    const idsOf = ({ data }: Page) => data.map(({ id }) => id)
    const first = await list('limit=2')
    assert.deepEqual([idsOf(first), first.has_more, first.next_page], [ids.slice(0, 2), true, `page_${ids[1]}`])
    const second = await list(`limit=2&page=${first.next_page}`)
    assert.deepEqual([idsOf(second), second.has_more, second.next_page], [ids.slice(2), false, null])
    assert.deepEqual(idsOf(await list(`before_id=${ids[2]}&limit=1`)), [ids[1]])
    assert.deepEqual(idsOf(await list(`ids[]=${ids[1]}&ids[]=nonsense`)), [ids[1]])
    assert.equal((await client.get('/v1/files?page=page_nonsense', VERSION)).status, 404)
  })

  test('the same path has the files of OpenAI without the header, with the members that clients of Mistral expect', async () => {
    const { file_id } = await client.store('Hello', 'a.txt')
    type Listed = { object: string; total: number; data: Record<string, unknown>[] }
    const { body } = await client.get<Listed>('/v1/files')
    const { id, object, mimetype, source, deleted, num_lines } = body.data[0]!
    assert.deepEqual([body.object, body.total], ['list', 1])
    assert.deepEqual(
      [id, object, mimetype, source, deleted, num_lines],
      [file_id, 'file', 'text/plain', 'upload', false, null],
    )
  })

  test("OpenAI's SDK sends a file in parts, and asking twice for the file is the same as asking once", async () => {
    const openai = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
    const about = { filename: 'a.txt', purpose: 'user_data', mime_type: 'text/plain' } as const
    const expires_after = { anchor: 'created_at', seconds: 5_400 } as const
    const { id, status, bytes } = await openai.uploads.create({ ...about, bytes: 11, expires_after })
    assert.deepEqual([status, bytes], ['pending', 11])
    const send = async (text: string) => (await openai.uploads.parts.create(id, { data: new File([text], 'part') })).id
    const [last, first] = [await send('world'), await send('Hello ')]
    await assert.rejects(send('!'), OpenAI.BadRequestError)
    await assert.rejects(openai.uploads.complete(id, { part_ids: [first] }), OpenAI.BadRequestError)
    await assert.rejects(openai.uploads.complete(id, { part_ids: [first, first] }), OpenAI.BadRequestError)
    const wrong = { part_ids: [first, last], md5: '0'.repeat(32) }
    await assert.rejects(openai.uploads.complete(id, wrong), OpenAI.BadRequestError)
    assert.equal((await openai.files.list()).data.length, 0)
    const done = await openai.uploads.complete(id, { part_ids: [first, last], md5: md5('Hello world') })
    assert.equal(done.file!.expires_at! - done.file!.created_at, 5_400)
    const again = await openai.uploads.complete(id, { part_ids: [first, last] })
    assert.deepEqual([done.status, done.file?.bytes, again.file?.id], ['completed', 11, done.file?.id])
    assert.equal(await (await openai.files.content(done.file!.id)).text(), 'Hello world')
    await assert.rejects(openai.uploads.cancel(id), OpenAI.BadRequestError)
    const rows = 'SELECT origin, size FROM files ORDER BY origin'
    const kept = await gateway.gateway.services.calls.db.query(rows)
    assert.deepEqual(kept, [
      { origin: 'open', size: 0 },
      { origin: 'upload', size: 11 },
    ])
  })

  test('parts are no files, belong to their owner, count towards the quota and go with the upload', async () => {
    const { key } = await adminClient(gateway.adminUrl).issue({ owner: 'another' })
    const stranger = taskClient(gateway.url, key)
    const about = { filename: 'a.txt', purpose: 'user_data', mime_type: 'text/plain', bytes: 4 }
    const { id } = (await client.post<{ id: string }>('/v3/uploads', about)).body
    const openai = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
    const part = await openai.uploads.parts.create(id, { data: new File(['four'], 'part') })
    const { db, files } = gateway.gateway.services.calls
    const [{ owner }] = (await db.query<{ owner: string }>('SELECT owner FROM files')) as [{ owner: string }]
    assert.equal(await storedBytesOf(db, owner), 4)
    const uuid = part.id.replace(/^part_(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    assert.equal((await client.get(`/v3/upload/${uuid}`)).status, 404)
    for (const step of ['complete', 'cancel'])
      assert.equal((await stranger.post(`/v3/uploads/${id}/${step}`, { part_ids: [part.id] })).status, 404, step)
    assert.equal((await client.post('/v3/uploads', { ...about, bytes: 2 ** 50 })).status, 413)
    assert.equal((await client.post(`/v3/uploads/${id}/cancel`, {})).status, 200)
    assert.equal(await storedBytesOf(db, owner), 0)
    assert.equal(await files.blobs.read(uuid, undefined, owner), undefined)
    assert.equal((await client.post(`/v3/uploads/${id}/complete`, { part_ids: [part.id] })).status, 404)
    const again = (await client.post<{ id: string }>('/v3/uploads', about)).body
    await openai.uploads.parts.create(again.id, { data: new File(['four'], 'part') })
    await db.query('UPDATE files SET expires_at = 1')
    assert.equal((await client.post(`/v3/uploads/${again.id}/cancel`, {})).status, 404)
    await sweepFiles(files)
    assert.deepEqual(await db.query('SELECT id FROM files'), [])
  })

  test('ids of OpenAI that have another form are unknown, and not malformed', async () => {
    const openai = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
    const calls = [
      () => openai.files.retrieve('file-abc123'),
      () => openai.files.delete('file-abc123'),
      () => openai.responses.retrieve('resp_123'),
      () => openai.responses.inputItems.list('resp_123'),
      () => openai.conversations.retrieve('conv_123'),
      () => openai.conversations.items.list('conv_123'),
      () => openai.files.list({ after: 'file-abc123' }),
    ]
    for (const call of calls) await assert.rejects(call(), OpenAI.NotFoundError, String(call))
  })

  test('an upload of any other form is unknown, whatever is asked of it', async () => {
    const form = new FormData()
    form.append('data', new File(['x'], 'part'))
    for (const id of ['nonsense', 'upload_1', `upload_${'g'.repeat(32)}`, `part_${'0'.repeat(32)}`, '%00', '..%2fx']) {
      const headers = { authorization: `Bearer ${API_KEY}` }
      const part = await fetch(`${gateway.url}/v3/uploads/${id}/parts`, { method: 'POST', headers, body: form })
      assert.deepEqual([part.status, ((await part.json()) as Refused).error.code], [404, 'not_found'], id)
      for (const [step, body] of [['complete', { part_ids: [] }] as const, ['cancel', {}] as const]) {
        const reply = await client.post<Refused>(`/v3/uploads/${id}/${step}`, body)
        assert.deepEqual([reply.status, reply.body.error.code], [404, 'not_found'], `${id} ${step}`)
      }
    }
  })

  test("Cohere's clients list the models page by page, by endpoint, and one of them", async () => {
    const ofCohere = { 'x-fern-sdk-name': 'cohere' }
    type Model = {
      name: string
      endpoints: string[]
      is_deprecated: boolean
      finetuned: boolean
      context_length: number
    }
    type Page = { models: Model[]; next_page_token: string | null }
    const { key } = await adminClient(gateway.adminUrl).issue({ kind: 'sandbox' })
    const own = taskClient(gateway.url, key)
    const list = async (query: string) => (await own.get<Page>(`/v3/v1/models${query}`, ofCohere)).body
    const first = await list('?page_size=2&endpoint=chat')
    assert.deepEqual([first.models.length, first.next_page_token], [2, '2'])
    const second = await list(`?page_size=2&endpoint=chat&page_token=${first.next_page_token}`)
    const names = [...first.models, ...second.models].map(({ name }) => name)
    assert.equal(new Set(names).size, 4)
    assert.ok((await list('?page_size=1000&endpoint=chat')).models.every(({ endpoints }) => endpoints[0] === 'chat'))
    assert.deepEqual(await list('?endpoint=embed&default_only=true'), { models: [], next_page_token: null })
    const one = await own.get<Model>(`/v3/v1/models/${names[0]}`, ofCohere)
    assert.deepEqual(one.body, first.models[0])
    const none = await own.get<{ message: string }>('/v3/v1/models/none', { 'x-fern-sdk-name': 'cohere-ai' })
    assert.deepEqual([none.status, typeof none.body.message], [404, 'string'])
    assert.equal((await own.get('/v3/v1/models?page_token=-1', ofCohere)).status, 422)
    assert.ok('data' in (await own.get<object>('/v3/v1/models', { 'x-fern-sdk-name': 'other' })).body)
  })

  test("a model for Anthropic's clients has a lifecycle, and no capabilities of ours under the name of theirs", async () => {
    type Listed = { data: { id: string; lifecycle: string; capabilities: unknown; retires_at: string | null }[] }
    const ofAnthropic = (await client.get<Listed>('/v1/models?limit=5', VERSION)).body.data
    const whole = (await client.get<Listed>('/v1/models', VERSION)).body.data
    assert.ok(ofAnthropic.length > 0)
    for (const { lifecycle, capabilities, retires_at } of [...ofAnthropic, ...whole]) {
      assert.equal(capabilities, null)
      assert.equal(lifecycle, retires_at === null ? 'active' : 'deprecated')
    }
    const { id } = ofAnthropic[0]!
    assert.equal((await anthropic.models.retrieve(id)).lifecycle, 'active')
    const ofOpenAI = (await client.get<Listed['data'][number]>(`/v1/models/${id}`)).body
    assert.notEqual(ofOpenAI.capabilities, null)
  })
})
