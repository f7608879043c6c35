import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import OpenAI from 'openai'
import { pages, plainPdf } from '../../../src/base/sniff/fixtures/pdfs.ts'
import { png } from '../../../src/base/sniff/fixtures/small-files.ts'
import type { DeletedFiles, FileList, UploadedFile } from '../../../src/contract/files.ts'
import { nextMillisecond } from '../../fakes/stores.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { collect } from '../../gateway/collect.ts'
import type { FormPart } from '../../gateway/form.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'
import { DAY_MS, DAY_SECONDS } from '../../../src/base/units/units.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const FILE: FormPart = { name: 'file', filename: 'notes.txt', content: 'Hello.' }

describe('uploads', () => {
  let gateway: GatewayUnderTest
  let client: TaskClient
  before(async () => {
    gateway = await startGateway()
    client = taskClient(gateway.url)
  })
  after(() => gateway?.close())
  beforeEach(async () => void (await client.delete('/v3/upload')))

  test('an upload answers with all that is known of the file', async () => {
    const { status, body, headers } = await client.upload({ ...FILE, type: 'application/x-nonsense' })
    const { file_id, created_at, expires_at, ...rest } = body
    assert.equal(status, 200)
    assert.match(file_id, UUID)
    assert.match(created_at, ISO)
    assert.equal(Date.parse(expires_at!) - Date.parse(created_at), 30 * DAY_MS)
    const about = {
      file_name: 'notes.txt',
      file_size: 6,
      file_mimetype: 'text/plain',
      purpose: 'general',
      metadata: {},
    }
    assert.deepEqual(rest, about)
    assert.match(headers.get('x-request-id') ?? '', /^req_/)
  })

  test("OpenAI's SDK uploads, lists page by page, reads and deletes the same files", async () => {
    const sdk = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
    const upload = async (name: string, purpose: OpenAI.FilePurpose) => {
      await nextMillisecond(gateway.gateway.services.calls.db)
      return await sdk.files.create({ file: new File([`Hello, ${name}`], name, { type: 'text/plain' }), purpose })
    }
    const made = [
      await upload('a.txt', 'assistants'),
      await upload('b.txt', 'user_data'),
      await upload('c.txt', 'user_data'),
    ]
    const [first] = made
    assert.deepEqual([first!.object, first!.bytes, first!.filename, first!.status], ['file', 12, 'a.txt', 'processed'])
    assert.equal(first!.expires_at! - first!.created_at, 30 * DAY_SECONDS)
    const ids = async (query: OpenAI.FileListParams) => (await collect(await sdk.files.list(query))).map(({ id }) => id)
    const newestFirst = made.map(({ id }) => id).reverse()
    assert.deepEqual(await ids({ limit: 1 }), newestFirst)
    assert.deepEqual(await ids({ limit: 2, order: 'asc' }), newestFirst.toReversed())
    assert.deepEqual(await ids({ purpose: 'user_data', limit: 1 }), newestFirst.slice(0, 2))
    assert.equal((await sdk.files.retrieve(first!.id)).filename, 'a.txt')
    assert.equal(await (await sdk.files.content(first!.id)).text(), 'Hello, a.txt')
    assert.equal((await client.get<UploadedFile>(`/v3/upload/${first!.id}`)).body.file_name, 'a.txt')
    const short = { file: new File(['x'], 'x'), purpose: 'batch' as const }
    const brief = await sdk.files.create({ ...short, expires_after: { anchor: 'created_at', seconds: 3_600 } })
    assert.equal(brief.expires_at! - brief.created_at, 3_600)
    await assert.rejects(
      sdk.files.create({ ...short, expires_after: { anchor: 'created_at', seconds: 40 * DAY_SECONDS } }),
      OpenAI.UnprocessableEntityError,
    )
    assert.deepEqual(await sdk.files.delete(first!.id), { id: first!.id, object: 'file', deleted: true })
    for (const gone of [() => sdk.files.retrieve(first!.id), () => sdk.files.delete(first!.id)])
      await assert.rejects(gone, OpenAI.NotFoundError)
    const { key } = await adminClient(gateway.adminUrl).issue({ owner: 'another' })
    const other = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    assert.deepEqual((await other.files.list()).data, [])
    await assert.rejects(other.files.list({ after: randomUUID() }), { status: 404 })
    await assert.rejects(other.files.content(made[1]!.id), OpenAI.NotFoundError)
    await assert.rejects(other.files.delete(made[1]!.id), OpenAI.NotFoundError)
  })

  test('fields count wherever they stand', async () => {
    const fields = [
      { name: 'purpose', content: 'ocr' },
      { name: 'expires_in_days', content: '7' },
      { name: 'unknown', content: 'x' },
    ]
    for (const parts of [
      [...fields, FILE],
      [FILE, ...fields],
      [fields[0]!, FILE, fields[1]!],
    ]) {
      const { status, body, text } = await client.upload(...parts)
      assert.equal(status, 200, text)
      assert.equal(body.purpose, 'ocr')
      assert.equal(Date.parse(body.expires_at!) - Date.parse(body.created_at), 7 * DAY_MS)
    }
  })

  test('a browser’s own form works too', async () => {
    const form = new FormData()
    form.append('purpose', 'général')
    form.append('file', new Blob(['Grüße'], { type: 'image/png' }), 'naïve "quoted" 日本.txt')
    const headers = { authorization: `Bearer ${API_KEY}` }
    const response = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', body: form, headers })
    const file = (await response.json()) as UploadedFile
    assert.equal(file.file_name, 'naïve "quoted" 日本.txt')
    assert.deepEqual([file.purpose, file.file_mimetype, file.file_size], ['général', 'text/plain', 7])
  })

  const NAMES: Record<string, [given: string, kept: string]> = {
    'climbs out of its folder': ['../../../../etc/passwd', 'passwd'],
    'has a drive': ['C:\\\\Windows\\\\win.ini', 'win.ini'],
    'is a folder': ['a/b/', 'file'],
    'is the folder above': ['a/..', 'file'],
    'is in another script': ['Ωμέγα 日本 😀.pdf', 'Ωμέγα 日本 😀.pdf'],
    'writes backwards': ['photo\u202egnp.exe', 'photognp.exe'],
    'is empty': ['', 'file'],
    'is only spaces': ['   ', 'file'],
    'is very long': [`${'x'.repeat(300)}.txt`, 'x'.repeat(255)],
    'is cut in the middle of a character': [`${'x'.repeat(254)}😀.txt`, 'x'.repeat(254)],
  }
  for (const [what, [value, kept]] of Object.entries(NAMES)) {
    test(`a file name that ${what} is text and nothing more`, async () => {
      const { status, body, text } = await client.upload({ ...FILE, filename: value })
      assert.equal(status, 200, text)
      assert.equal(body.file_name, kept)
      const { headers, text: content } = await client.get(`/v3/upload/${body.file_id}/content`)
      assert.equal(content, FILE.content)
      const [, encoded = ''] = /^attachment; filename\*=UTF-8''(.+)$/.exec(headers.get('content-disposition')!) ?? []
      assert.equal(decodeURIComponent(encoded), kept)
    })
  }

  for (const [what, name] of Object.entries({ 'CR and LF': 'a\r\nX-Evil: 1', 'a LF': 'a\nb', 'a NUL': 'a\0b' })) {
    test(`a file name with ${what} is refused`, async () => {
      const { status, body } = await client.upload({ ...FILE, filename: name })
      assert.deepEqual([status, body.error.code], [422, 'validation_error'])
      assert.equal(body.detail[0]!.loc[0], 'body')
    })
  }

  const CONTENTS: Record<string, [content: Buffer | string, type: string, metadata: object]> = {
    'a PDF of 3 pages': [plainPdf(pages(3)), 'application/pdf', { page_count: 3 }],
    'a picture': [png(640, 480), 'image/png', { dimensions: '640x480' }],
    'a page': ['<!doctype html><script>alert(1)</script>', 'text/html', {}],
    'a drawing': ['<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', 'image/svg+xml', {}],
    noise: [Buffer.from([0, 1, 2, 254, 255]), 'application/octet-stream', {}],
    nothing: ['', 'application/octet-stream', {}],
  }
  for (const [what, [content, type, metadata]] of Object.entries(CONTENTS)) {
    test(`${what} is known by its bytes, and comes back as it was, as an attachment`, async () => {
      const { body } = await client.upload({ ...FILE, filename: 'a.png', type: 'image/png', content })
      assert.deepEqual([body.file_mimetype, body.metadata], [type, metadata])
      const response = await fetch(`${gateway.url}/v3/upload/${body.file_id}/content`, { headers: bearer(API_KEY) })
      assert.equal(response.status, 200)
      assert.ok(Buffer.from(content).equals(Buffer.from(await response.arrayBuffer())))
      const served = Object.fromEntries(response.headers)
      assert.match(served['content-disposition']!, /^attachment;/)
      assert.equal(served['x-content-type-options'], 'nosniff')
      assert.match(served['content-security-policy']!, /^sandbox(;|$)/)
      assert.equal(served['content-length'], String(Buffer.byteLength(content)))
      assert.doesNotMatch(served['content-type']!, /html|svg|xml|javascript/)
    })
  }

  const REFUSED: Record<string, [parts: FormPart[], loc: string, type: string]> = {
    'no day': [[FILE, { name: 'expires_in_days', content: '0' }], 'expires_in_days', 'greater_than_equal'],
    'days before today': [[{ name: 'expires_in_days', content: '-1' }, FILE], 'expires_in_days', 'greater_than_equal'],
    'more than 30 days': [[{ name: 'expires_in_days', content: '31' }, FILE], 'expires_in_days', 'less_than_equal'],
    'a part of a day': [[FILE, { name: 'expires_in_days', content: '1.5' }], 'expires_in_days', 'int_type'],
    'days in words': [[FILE, { name: 'expires_in_days', content: 'two' }], 'expires_in_days', 'int_type'],
    'empty days': [[FILE, { name: 'expires_in_days', content: '' }], 'expires_in_days', 'int_type'],
    'an empty purpose': [[{ name: 'purpose', content: '' }, FILE], 'purpose', 'string_too_short'],
    'a purpose of 51 characters': [[{ name: 'purpose', content: 'x'.repeat(51) }, FILE], 'purpose', 'string_too_long'],
    'a purpose that is not text': [[FILE, { name: 'purpose', content: Buffer.from([255]) }], 'purpose', 'value_error'],
    'no file': [[{ name: 'purpose', content: 'ocr' }], 'file', 'missing'],
    'two files': [[FILE, { ...FILE, filename: 'b.txt' }], 'file', 'value_error'],
  }
  for (const [what, [parts, field, type]] of Object.entries(REFUSED)) {
    test(`${what}: refused with its place, and nothing is kept`, async () => {
      const { status, body, text } = await client.upload(...parts)
      assert.equal(status, 422, text)
      assert.deepEqual(
        body.detail.map(({ loc, type }) => [loc, type]),
        [[['body', field], type]],
      )
      assert.equal((await client.get<FileList>('/v3/upload')).body.total, 0)
    })
  }

  test('the limits themselves are within', async () => {
    const purpose = '😀'.repeat(50)
    for (const expires_in_days of ['1', '30', '030'])
      assert.equal((await client.store('x', 'x', { expires_in_days, purpose })).purpose, purpose)
  })

  for (const [what, type, body] of [
    ['JSON', 'application/json', '{"file": "x"}'],
    ['a plain form', 'application/x-www-form-urlencoded', 'file=x'],
    ['text', 'text/plain', 'x'],
    ['an empty JSON body', 'application/json', null],
    ['bytes without a type', undefined, 'x'],
    ['nothing at all', undefined, null],
  ] as const) {
    test(`${what} is not a form: 415`, async () => {
      const headers = { ...bearer(API_KEY), ...(type && { 'content-type': type }) }
      const response = await fetch(`${gateway.url}/v3/upload`, {
        method: 'POST',
        headers,
        body: body && Buffer.from(body),
      })
      const { error } = (await response.json()) as { error: { code: string } }
      assert.deepEqual([response.status, error.code], [415, 'unsupported_media_type'])
    })
  }

  test('the list is paged, newest first, and by purpose', async () => {
    const files: UploadedFile[] = []
    for (let number = 0; number < 5; number++) {
      await nextMillisecond(gateway.gateway.services.calls.db)
      files.push(await client.store(`${number}`, `${number}.txt`, { purpose: number % 2 ? 'odd' : 'even' }))
    }
    const newestFirst = files.toReversed()
    const all = await client.get<FileList>('/v3/upload')
    assert.deepEqual(all.body, { items: newestFirst, total: 5, page: 1, limit: 100, total_pages: 1 })
    const second = await client.get<FileList>('/v3/upload?page=2&limit=2')
    assert.deepEqual(second.body, { items: newestFirst.slice(2, 4), total: 5, page: 2, limit: 2, total_pages: 3 })
    const beyond = await client.get<FileList>('/v3/upload?page=4&limit=2')
    assert.deepEqual([beyond.status, beyond.body.items], [200, []])
    const odd = await client.get<FileList>('/v3/upload?purpose=odd')
    assert.deepEqual([odd.body.items.map((file) => file.file_name), odd.body.total], [['3.txt', '1.txt'], 2])
    assert.equal((await client.get<FileList>('/v3/upload?purpose=')).body.total, 0)
  })

  for (const [query, field] of [
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=x', 'page'],
    ['page=1&page=2', 'page'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=', 'limit'],
    [`purpose=${'x'.repeat(51)}`, 'purpose'],
    ['purpose=a&purpose=b', 'purpose'],
  ]) {
    test(`a list with ${query!.slice(0, 20)} is refused`, async () => {
      const { status, body, text } = await client.get(`/v3/upload?${query}`)
      assert.equal(status, 422, text)
      assert.deepEqual(body.detail[0]!.loc, ['query', field])
    })
  }

  test('one file, some files, all files', async () => {
    const [one, two, three] = [await client.store('1'), await client.store('2'), await client.store('3')]
    assert.deepEqual((await client.get<UploadedFile>(`/v3/upload/${one.file_id}`)).body, one)
    const file_ids = [one.file_id, two.file_id, one.file_id, randomUUID()]
    assert.deepEqual((await client.post<DeletedFiles>('/v3/upload/delete', { file_ids })).body, { deleted_count: 2 })
    assert.equal((await client.get(`/v3/upload/${one.file_id}`)).status, 404)
    assert.equal((await client.get(`/v3/upload/${two.file_id}/content`)).status, 404)
    assert.equal((await client.get(`/v3/upload/${three.file_id}`)).status, 200)
    assert.deepEqual((await client.delete<DeletedFiles>('/v3/upload')).body, { deleted_count: 1 })
    assert.deepEqual((await client.delete<DeletedFiles>('/v3/upload')).body, { deleted_count: 0 })
  })

  test('a deletion wants 1 to 100 ids', async () => {
    const ids = Array.from({ length: 101 }, () => randomUUID())
    for (const file_ids of [[], ids, ['nonsense'], [1], 'x', undefined]) {
      const { status, body } = await client.post('/v3/upload/delete', { file_ids })
      assert.deepEqual([status, body.detail[0]!.loc.slice(0, 2)], [422, ['body', 'file_ids']])
    }
    const { status, body } = await client.post<DeletedFiles>('/v3/upload/delete', { file_ids: ids.slice(1) })
    assert.deepEqual([status, body], [200, { deleted_count: 0 }])
  })
})

function bearer(key: string) {
  return { authorization: `Bearer ${key}` }
}
