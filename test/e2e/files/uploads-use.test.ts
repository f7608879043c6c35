import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { pages, plainPdf } from '../../../src/base/sniff/fixtures/pdfs.ts'
import { png } from '../../../src/base/sniff/fixtures/small-files.ts'
import { FERRY_DOCX } from '../../../src/translation/engines/fixtures/documents.ts'
import { pdfSaying } from '../../../src/translation/engines/fixtures/pdf-saying.ts'
import type { DeletedFiles, FileList } from '../../../src/contract/files.ts'
import { failure } from '../../fakes/behaviours.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { type GatewayWithFakes, startGatewayWithFakes } from '../../gateway/gateway-with-fakes.ts'
import { type Reply, type TaskClient, taskClient } from '../../gateway/task-client.ts'

const OCR = 'ocr/ocr/sandbox'
const METADATA = { headers: { 'x-gatehouse-metadata': 'enabled' } }

describe('uploads in use', () => {
  let gateway: GatewayWithFakes
  let client: TaskClient
  let stranger: TaskClient
  before(async () => {
    gateway = await startGatewayWithFakes({}, { UPLOAD_LIMIT_MB: '1' })
    client = taskClient(gateway.gateway.url)
    stranger = taskClient(gateway.gateway.url, (await adminClient(gateway.gateway.adminUrl).issue()).key)
  })
  after(() => gateway?.close())
  beforeEach(() => gateway.reset())

  const USES: Record<string, (client: TaskClient, id: string) => Promise<Reply<unknown>>> = {
    'asking for it': (client, id) => client.get(`/v3/upload/${id}`),
    'asking for its bytes': (client, id) => client.get(`/v3/upload/${id}/content`),
    'deleting it': (client, id) => client.post('/v3/upload/delete', { file_ids: [id] }),
    'a chat': (client, id) => client.post('/v3/chat/completions', chatWith({ file_id: id })),
    'a streamed chat': (client, id) =>
      client.post('/v3/chat/completions', { ...chatWith({ file_id: id }), stream: true }),
    'a task': (client, id) => client.run({ model: OCR, input: { file: id, language: 'en' } }),
    'a list in a task': (client, id) =>
      client.run({ model: 'image/generation/sandbox', input: { text: 'x', reference_images: [id] } }),
  }
  for (const [what, use] of Object.entries(USES)) {
    test(`${what}: another owner’s file is as one that never was`, async () => {
      const { file_id } = await client.store('mine')
      const [foreign, unknown] = [await use(stranger, file_id), await use(stranger, randomUUID())]
      assert.deepEqual(comparable(foreign), comparable(unknown))
      if (what !== 'deleting it') assert.deepEqual([foreign.status, codeOf(foreign)], [404, 'not_found'])
      assert.equal((await client.get(`/v3/upload/${file_id}`)).status, 200)
      assert.deepEqual(gateway.openai.requests, [])
    })
  }

  test('a job with another owner’s file fails as one with a file that never was', async () => {
    const { file_id } = await client.store('mine')
    const errors = await Promise.all(
      [file_id, randomUUID()].map(async (file) => {
        const { body, text } = await stranger.submit({ model: 'ocr/ocr_async/sandbox', input: { file } })
        assert.ok(body.public_id, text)
        return (await stranger.ended(body.public_id)).error
      }),
    )
    assert.deepEqual(errors[0], errors[1])
  })

  test('a caller cannot list or delete files of other owners; keys of one owner share', async () => {
    const { file_id } = await client.store('mine')
    assert.equal((await stranger.get<FileList>('/v3/upload')).body.total, 0)
    assert.deepEqual((await stranger.delete<DeletedFiles>('/v3/upload')).body, { deleted_count: 0 })
    const { key } = await adminClient(gateway.gateway.adminUrl).issue({ owner: 'default' })
    const partner = taskClient(gateway.gateway.url, key)
    assert.equal((await partner.get(`/v3/upload/${file_id}`)).status, 200)
    assert.deepEqual((await partner.post('/v3/upload/delete', { file_ids: [file_id] })).body, { deleted_count: 1 })
  })

  test('an id that is no UUID is malformed', async () => {
    for (const id of ['nonsense', '..%2f..%2fetc%2fpasswd', `${randomUUID()}x`, '%00', 'a'.repeat(400)]) {
      for (const path of ['', '/content']) {
        const { status, body } = await client.get(`/v3/upload/${id}${path}`)
        assert.deepEqual([status, body.error.code], [422, 'validation_error'], id)
      }
    }
  })

  test('a document in a chat reaches the provider as the file itself', async () => {
    const bytes = plainPdf(pages(2))
    const { file_id } = await client.store(bytes, 'contract.pdf')
    const url = `data:application/pdf;base64,${bytes.toString('base64')}`
    for (const stream of [false, true]) {
      const response = await gateway.chat.post({ ...chatWith({ file_id }), stream })
      await response.text()
      const { messages } = gateway.openai.requests.at(-1)!.body as SentRequest
      assert.deepEqual(messages[0]!.content, [
        { type: 'text', text: 'What is this?' },
        { type: 'file', file: { filename: 'contract.pdf', file_data: url } },
      ])
    }
    const named = await gateway.chat.whole(chatWith({ file_id, filename: 'other.pdf' }))
    assert.equal(named.status, 200, named.text)
    const { messages } = gateway.openai.requests.at(-1)!.body as SentRequest
    assert.deepEqual(messages[0]!.content[1], { type: 'file', file: { filename: 'other.pdf', file_data: url } })
  })

  test('a model that takes no files is sent the text of them, and the answer says so', async () => {
    const { file_id } = await client.store(FERRY_DOCX, 'ferry.docx')
    const request = { ...chatWith({ file_id }), model: 'openai/gpt-4' }
    const { status, text, completion } = await gateway.chat.whole(request, METADATA)
    assert.equal(status, 200, text)
    const { messages } = gateway.openai.requests.at(-1)!.body as SentRequest
    const [, part] = messages[0]!.content as { type: string; text?: string }[]
    assert.match(part?.text ?? '', /^ferry\.docx\n\nHarbour Office\n[\s\S]*The ferry leaves at nine\./)
    assert.match(JSON.stringify(completion.gatehouse), /"translated","reason":"this model does not accept files/)
  })

  test('a model and its fallback each get what they accept; an unreadable file is reported with its location', async () => {
    const { file_id } = await client.store(pdfSaying(['Dear reader']), 'letter.pdf')
    gateway.openai.next(failure(500, { message: 'Not now.' }))
    const request = { ...chatWith({ file_id }), fallbacks: ['openai/gpt-4'] }
    const { status, text } = await gateway.chat.whole(request)
    assert.equal(status, 200, text)
    const types = gateway.openai.requests.map(({ body }) => (body as SentRequest).messages[0]!.content[1]!.type)
    assert.deepEqual(types, ['file', 'text'])
    const damaged = chatWith({ file_data: Buffer.from('%PDF-1.7').toString('base64') })
    const { failure: reported } = await gateway.chat.whole({ ...damaged, model: 'openai/gpt-4' })
    assert.deepEqual([reported.error.param, reported.error.code], ['messages.0.content.1.file', 'validation_error'])
  })

  test('an image in a chat reaches the provider as an image', async () => {
    const bytes = png(4, 4)
    const { file_id } = await client.store(bytes, 'a.txt')
    const { status, text } = await gateway.chat.whole(chatWith({ file_id }))
    assert.equal(status, 200, text)
    const { messages } = gateway.openai.requests.at(-1)!.body as SentRequest
    const url = `data:image/png;base64,${bytes.toString('base64')}`
    assert.deepEqual(messages[0]!.content[1], { type: 'image_url', image_url: { url } })
  })

  test('an id of the provider’s own is refused, because all callers share its account', async () => {
    const { status, failure } = await gateway.chat.whole(chatWith({ file_id: 'file-abc123' }))
    assert.equal(status, 422)
    assert.match(JSON.stringify(failure), /operator's account/)
  })

  test('an address in a chat that may not be called is refused at its place', async () => {
    const { status, failure } = await gateway.chat.whole(chatWith({ file_id: 'http://127.0.0.1:9/a.pdf' }))
    const loc = ['body', 'messages', 0, 'content', 1, 'file', 'file_id']
    const msg = 'This address cannot be reached from here.'
    assert.deepEqual([status, failure.detail], [422, [{ loc, msg, type: 'value_error' }]])
    assert.deepEqual(gateway.openai.requests, [])
  })

  test('files that are too large together, or too many, are refused before one is read', async () => {
    const { file_id } = await client.store(Buffer.alloc(600_000), 'a.bin')
    const { file_id: empty } = await client.store('', 'empty')
    const uses = (ids: string[]) => [
      client.post('/v3/chat/completions', chatWith(...ids.map((id) => ({ file_id: id })))),
      client.run({ model: 'image/generation/sandbox', input: { text: 'x', reference_images: ids } }),
    ]
    for (const ids of [[file_id, file_id], Array(101).fill(empty)]) {
      for (const { status, body, text } of await Promise.all(uses(ids)))
        assert.deepEqual([status, body.error.code], [413, 'too_large'], text)
    }
    assert.deepEqual(gateway.openai.requests, [])
    for (const { status, text } of await Promise.all(uses([file_id, empty, empty]))) assert.equal(status, 200, text)
  })

  test('the same file does for a task', async () => {
    const { file_id } = await client.store(png(4, 4))
    const { status, body, text } = await client.run({ model: OCR, input: { file: file_id, language: 'en' } })
    assert.equal(status, 200, text)
    assert.equal(body.status, 'success')
  })

  test('a job whose file is deleted before it runs ends with a sentence', async () => {
    const { file_id } = await client.store('x')
    await client.delete('/v3/upload')
    const { body } = await client.submit({ model: 'ocr/ocr_async/sandbox', input: { file: file_id } })
    const job = await client.ended(body.public_id)
    assert.deepEqual([job.status, job.error, job.cost], ['fail', { message: 'There is no such file.' }, 0])
  })
})

type SentRequest = { messages: { content: { type: string }[] }[] }

function chatWith(...files: object[]) {
  const content = [{ type: 'text', text: 'What is this?' }, ...files.map((file) => ({ type: 'file', file }))]
  return { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content }] }
}

function codeOf({ body }: Reply<unknown>): string {
  return (body as { error: { code: string } }).error.code
}

/** Everything that a caller sees, without what differs from request to request. */
function comparable({ status, headers, text }: Reply<unknown>): unknown[] {
  const steady = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
  return [status, steady, text]
}
