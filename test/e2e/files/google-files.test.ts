import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { ApiError, createPartFromUri, GoogleGenAI } from '@google/genai'
import { adminClient } from '../../gateway/admin-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithFakes, startGatewayWithFakes } from '../../gateway/gateway-with-fakes.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'
import { nextMillisecond } from '../../fakes/stores.ts'

type Sent = {
  status: number
  headers: Headers
  body: {
    file?: { name: string; displayName: string; sizeBytes: string; mimeType: string; uri: string }
    error?: { status: string; message: string }
  }
}

const PATH = '/v3/upload/v1beta/files'
const START = { 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-command': 'start' }
const JSON_TYPE = { 'content-type': 'application/json' }

describe('files of clients of Google', () => {
  let fakes: GatewayWithFakes
  let url: string
  let client: TaskClient
  let google: GoogleGenAI
  before(async () => {
    fakes = await startGatewayWithFakes({}, { UPLOAD_LIMIT_MB: '20' })
    url = fakes.gateway.url
    client = taskClient(url)
    google = new GoogleGenAI({ apiKey: API_KEY, httpOptions: { baseUrl: `${url}/v3` } })
  })
  after(() => fakes?.close())
  beforeEach(async () => {
    await client.delete('/v3/upload')
    await fakes.reset()
  })

  async function send(address: string, headers: Record<string, string>, body?: string): Promise<Sent> {
    const isLink = address.startsWith('http')
    const key: Record<string, string> = isLink ? {} : { 'x-goog-api-key': API_KEY }
    const init = { method: 'POST', headers: { ...key, ...headers }, ...(body && { body }) }
    const reply = await fetch(isLink ? address : `${url}${address}`, init)
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Sent['body'] }
  }

  async function start(size: number, headers: Record<string, string> = {}): Promise<string> {
    const length = { 'x-goog-upload-header-content-length': String(size) }
    const { status, headers: answered } = await send(PATH, { ...START, ...length, ...headers })
    assert.deepEqual([status, answered.get('x-goog-upload-status')], [200, 'active'])
    return answered.get('x-goog-upload-url')!
  }

  const command = (words: string, offset?: number) => ({
    'x-goog-upload-command': words,
    ...(offset !== undefined && { 'x-goog-upload-offset': String(offset) }),
  })
  const stateOf = ({ status, headers }: Sent) => [
    status,
    headers.get('x-goog-upload-status'),
    headers.get('x-goog-upload-size-received'),
  ]

  test('the official SDK uploads, also in several chunks, reads, lists page by page and deletes', async () => {
    const names: string[] = []
    for (const size of [5, 9 * 1024 * 1024]) {
      await nextMillisecond(fakes.gateway.gateway.services.calls.db)
      const bytes = Buffer.alloc(size, 'a')
      const config = { displayName: 'a.txt', mimeType: 'text/plain' }
      const file = await google.files.upload({ file: new Blob([bytes]), config })
      assert.deepEqual(
        [file.displayName, file.mimeType, file.sizeBytes, file.state],
        ['a.txt', 'text/plain', String(size), 'ACTIVE'],
      )
      assert.equal(file.sha256Hash, createHash('sha256').update(bytes).digest('base64'))
      assert.ok(Date.parse(file.expirationTime!) > Date.parse(file.createTime!))
      names.unshift(file.name!)
      assert.deepEqual(await google.files.get({ name: file.name! }), file)
    }
    const listed: string[] = []
    for await (const file of await google.files.list({ config: { pageSize: 1 } })) listed.push(file.name!)
    assert.deepEqual(listed, names)
    await google.files.delete({ name: names[0]! })
    for (const name of [names[0]!, 'files/unknown'])
      for (const ask of [() => google.files.get({ name }), () => google.files.delete({ name })])
        await assert.rejects(ask(), (error) => error instanceof ApiError && error.status === 404)
  })

  test('a file is named by its address, its name or its id in contents, and only by its owner', async () => {
    const file = await google.files.upload({ file: new Blob(['Hello, file']), config: { mimeType: 'text/plain' } })
    const { key } = await adminClient(fakes.gateway.adminUrl).issue({ owner: 'another' })
    const stranger = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${url}/v3` } })
    const asking = (uri: string) => ({ model: 'openai/gpt-4o-mini', contents: [createPartFromUri(uri, 'text/plain')] })
    for (const uri of [file.uri!, file.name!, file.name!.replace('files/', '')]) {
      await fakes.reset()
      await google.models.generateContent(asking(uri))
      assert.match(JSON.stringify(fakes.openai.requests), /Hello, file|SGVsbG8sIGZpbGU/, uri)
      await assert.rejects(stranger.models.generateContent(asking(uri)), /no such file/)
    }
    await assert.rejects(stranger.files.get({ name: file.name! }), ApiError)
  })

  test('chunks follow each other, what has arrived can be asked for, and finalizing twice is the same as once', async () => {
    const address = await start(11, { 'x-goog-upload-file-name': 'a.txt' })
    assert.deepEqual(stateOf(await send(address, command('query'))), [200, 'active', '0'])
    assert.deepEqual(stateOf(await send(address, command('upload', 0), 'Hello ')), [200, 'active', '6'])
    for (const offset of [0, 5, 7])
      assert.deepEqual(stateOf(await send(address, command('upload', offset), 'x')), [400, 'active', '6'])
    assert.equal((await send(address, command('finalize'))).status, 400)
    assert.equal((await send(address, command('upload', 6), 'too long')).status, 400)
    assert.deepEqual(stateOf(await send(address, command('query'))), [200, 'active', '6'])
    const done = await send(address, command('upload, finalize', 6), 'world')
    assert.deepEqual(stateOf(done), [200, 'final', '11'])
    assert.deepEqual([done.body.file?.displayName, done.body.file?.sizeBytes], ['a.txt', '11'])
    for (const words of ['query', 'finalize', 'upload, finalize'])
      assert.deepEqual((await send(address, command(words, 6), 'world')).body, done.body)
    const [{ id }] = (await client.get<{ data: [{ id: string }] }>('/v3/files')).body.data
    assert.equal((await client.get(`/v3/files/${id}/content`)).text, 'Hello world')
  })

  test('an upload that is cancelled is gone, and only its whole address is the permission to send it', async () => {
    const address = await start(5)
    const other = new URL(await start(5))
    for (const wrong of [
      address.replace(/signature=..../, 'signature=0000'),
      address.replace('expires=1', 'expires=2'),
      address.replace(/\?.*/, ''),
      address.replace(/\/uploads\/[^?]+/, other.pathname),
      address.replace(/\/uploads\/[^?]+/, '/uploads/nonsense'),
    ])
      assert.equal((await send(wrong, { ...command('query'), 'x-goog-api-key': API_KEY })).status, 404, wrong)
    assert.equal((await fetch(address.replace('/uploads/', '/results/'))).status, 404)
    assert.deepEqual(stateOf(await send(other.href, command('cancel'))), [200, 'cancelled', null])
    assert.equal((await send(address, command('upload', 0), 'Hel')).status, 200)
    assert.deepEqual(stateOf(await send(address, command('cancel'))), [200, 'cancelled', null])
    assert.equal((await send(address, command('query'))).status, 404)
    const rows = await fakes.gateway.gateway.services.calls.db.query('SELECT id FROM files')
    assert.deepEqual(rows, [])
    const logs = fakes.gateway.logs()
    assert.ok(
      logs.includes('/uploads/') && !logs.includes(other.searchParams.get('signature')!),
      'only the path is logged',
    )
  })

  test('the address of an upload ends with the key that asked for it, and with what the key may do', async () => {
    const admin = adminClient(fakes.gateway.adminUrl)
    const begun = async (settings: object) => {
      const { id, key } = await admin.issue({ owner: 'team', ...settings })
      const address = await start(5, { 'x-goog-api-key': key })
      assert.equal((await send(address, command('upload', 0), 'Hel')).status, 200)
      const goOn = async () => {
        const asked = [command('query'), command('cancel')].map((headers) => send(address, headers))
        const sent = send(address, command('upload, finalize', 3), 'lo')
        return (await Promise.all([sent, ...asked])).map(({ status }) => status)
      }
      return { id, goOn }
    }
    const revoked = await begun({})
    await admin.delete(`/admin/keys/${revoked.id}`)
    assert.deepEqual(await revoked.goOn(), [401, 401, 401])
    const narrowed = await begun({ scopes: ['files'] })
    await admin.patch(`/admin/keys/${narrowed.id}`, { scopes: ['chat'] })
    assert.deepEqual(await narrowed.goOn(), [403, 403, 403])
    const moved = await begun({})
    await admin.patch(`/admin/keys/${moved.id}`, { allowed_ips: ['192.0.2.1'] })
    assert.deepEqual(await moved.goOn(), [403, 403, 403])
    const files = await fakes.gateway.gateway.services.calls.db.query("SELECT id FROM files WHERE origin = 'upload'")
    assert.deepEqual(files, [])
  })

  test('the address of an upload ends with a key of the environment that is replaced', async () => {
    const address = await start(5)
    assert.equal((await send(address, command('query'))).status, 200)
    const { keyCache } = fakes.gateway.gateway.services.tenants
    const caller = await keyCache.find(API_KEY)
    keyCache.replaceFixed([{ key: `${API_KEY}-next`, caller: caller! }])
    assert.equal((await send(address, command('upload, finalize', 0), 'Hello')).status, 401)
    keyCache.replaceFixed([{ key: API_KEY, caller: caller! }])
    assert.equal((await send(address, command('query'))).status, 200)
  })

  test('a file arrives at once, as two parts or as it is, also below the path that the SDK has without a base', async () => {
    const parts = ['{"file":{"display_name":"b.txt"}}', 'Hello'].map(
      (part) => `--x\r\ncontent-type: any/type\r\n\r\n${part}\r\n`,
    )
    const related = { 'x-goog-upload-protocol': 'multipart', 'content-type': 'multipart/related; boundary=x' }
    const sent = await send('/upload/v1beta/files', related, `${parts.join('')}--x--`)
    assert.deepEqual([sent.body.file?.displayName, sent.body.file?.sizeBytes], ['b.txt', '5'])
    const alone = await send(PATH, related, `${parts[0]}--x--`)
    assert.deepEqual([alone.status, alone.body.error?.status], [400, 'INVALID_ARGUMENT'])
    const raw = { 'x-goog-upload-protocol': 'raw', 'x-goog-upload-file-name': 'c.bin', 'content-type': 'image/png' }
    const whole = await send(PATH, raw, 'Hello')
    assert.deepEqual([whole.body.file?.displayName, whole.body.file?.mimeType], ['c.bin', 'text/plain'])
  })

  test('what does not follow the protocol is refused in the words of the format', async () => {
    const size = { 'x-goog-upload-header-content-length': '5' }
    const cases: [number, string, Record<string, string>, string?][] = [
      [400, PATH, JSON_TYPE, '{}'],
      [400, PATH, START],
      [400, PATH, { ...START, ...size, ...JSON_TYPE }, '{"file":{"name":"files/mine"}}'],
      [422, PATH, { ...START, ...size, ...JSON_TYPE }, '[]'],
      [413, PATH, { ...START, 'x-goog-upload-header-content-length': '999999999999' }],
      [413, PATH, { ...START, ...size, ...JSON_TYPE }, JSON.stringify({ file: { displayName: 'a'.repeat(70_000) } })],
      [400, await start(5), command('unknown')],
      [400, await start(5), command('upload'), 'Hello'],
    ]
    for (const [status, address, headers, body] of cases) {
      const answer = await send(address, headers, body)
      assert.equal(answer.status, status, JSON.stringify([headers, answer.body]))
      assert.equal(typeof answer.body.error?.status, 'string')
    }
    const keyless = await fetch(`${url}${PATH}`, { method: 'POST', headers: START })
    assert.equal(keyless.status, 401)
  })

  test('clients that write another version get the same files, caches and errors', async () => {
    const ofV1 = { baseUrl: `${url}/v3`, apiVersion: 'v1' }
    const other = new GoogleGenAI({ apiKey: API_KEY, httpOptions: ofV1 })
    const { name } = await other.files.upload({ file: new Blob(['Hello']), config: { mimeType: 'text/plain' } })
    assert.equal((await other.files.get({ name: name! })).sizeBytes, '5')
    await other.files.delete({ name: name! })
    for (const ask of [() => other.files.get({ name: name! }), () => other.caches.get({ name: 'cachedContents/1' })])
      await assert.rejects(ask(), (error) => error instanceof ApiError && /NOT_FOUND/.test(error.message))
  })

  test('caches are refused at once, with what to do instead, in the words of the format', async () => {
    const refusal = (error: unknown) =>
      error instanceof ApiError && error.status === 404 && /cache_control/.test(error.message)
    const calls = [
      () => google.caches.create({ model: 'gemini-2.5-flash', config: { contents: 'Hello' } }),
      () => google.caches.get({ name: 'cachedContents/1' }),
      () => google.caches.update({ name: 'cachedContents/1', config: { ttl: '60s' } }),
      () => google.caches.delete({ name: 'cachedContents/1' }),
      () => google.caches.list(),
    ]
    for (const call of calls) await assert.rejects(call(), refusal, String(call))
    const config = { cachedContent: 'cachedContents/1' }
    const { uri } = await google.files.upload({ file: new Blob(['Hello']), config: { mimeType: 'text/plain' } })
    for (const contents of ['Hello', createPartFromUri(uri!, 'text/plain')])
      await assert.rejects(
        google.models.generateContent({ model: 'openai/gpt-4o-mini', contents, config }),
        (error) => error instanceof ApiError && error.status === 422 && /cachedContent/.test(error.message),
      )
    assert.deepEqual(fakes.openai.requests, [])
    const stores = () => google.fileSearchStores.create({})
    await assert.rejects(stores(), (error) => error instanceof ApiError && /v1beta\/files/.test(error.message))
  })
})
