import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { png } from '../../../src/base/sniff/fixtures/small-files.ts'
import { json } from '../../fakes/images.ts'
import { type FormPart, formOf } from '../../gateway/form.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { imagesGateway } from './images-gateway.ts'
import { exchange, open, request } from '../../gateway/raw-http.ts'
import { MB } from '../../../src/base/units/units.ts'

// Malicious forms and JSON.

const setup = await imagesGateway({ UPLOAD_LIMIT_MB: '1', BODY_LIMIT_MB: '1' })
const { gateway, fake } = setup

const FIELDS: FormPart[] = [
  { name: 'model', content: 'openai/gpt-image-2' },
  { name: 'prompt', content: 'a gate' },
]
const IMAGE: FormPart = { name: 'image', filename: 'a.png', content: png(8, 8) }
const CUTS = 10

const { type: TYPE, body: WHOLE } = formOf([...FIELDS, IMAGE])
const many = (parts: number) => formOf([IMAGE, ...Array<FormPart>(parts).fill({ name: 'x[]', content: 'y' })]).body
const header = (bytes: number) => `Content-Disposition: form-data; name="image"; filename="${'a'.repeat(bytes)}"`

const JSON_TYPE = 'application/json'
const inJson = (base64: string) =>
  Buffer.from(`{"model":"openai/x","prompt":"x","images":[{"image_url":"data:image/png;base64,${base64}"}]}`)
const LONG = 'QUJD'.repeat(100_000)

const ABUSES: Record<string, { body: Buffer; type?: string; status: number; words: RegExp }> = {
  'no end': { body: WHOLE.subarray(0, -20), status: 422, words: /ends before its last boundary/ },
  'no parts': { body: Buffer.from('x'), status: 422, words: /ends before|does not begin/ },
  '10,000 parts': { body: many(10_000), status: 413, words: /more than 100 parts/ },
  'giant headers': {
    body: formOf([{ ...IMAGE, headers: header(9_000) }]).body,
    status: 413,
    words: /headers of a part/,
  },
  'headers without an end': {
    body: Buffer.concat([WHOLE.subarray(0, 27), Buffer.alloc(MB, 'a')]),
    status: 413,
    words: /headers of a part/,
  },
  'the wrong boundary': { body: WHOLE, type: 'multipart/form-data; boundary=other', status: 422, words: /form/ },
  'no boundary': { body: WHOLE, type: 'multipart/form-data', status: 422, words: /no boundary/ },
  'a giant field': {
    body: formOf([{ name: 'prompt', content: 'x'.repeat(MB) }]).body,
    status: 413,
    words: /larger than 128000 bytes/,
  },
  'a poisonous name': { body: formOf([{ name: '__proto__', content: 'x' }]).body, status: 422, words: /only once/ },
  'images that are too large together': {
    body: formOf([...FIELDS, { ...IMAGE, content: Buffer.alloc(2 * MB) }]).body,
    status: 413,
    words: /too large together/,
  },
  'JSON that is too large': { body: inJson(LONG.repeat(3)), type: JSON_TYPE, status: 413, words: /large/ },
  'JSON without an end': { body: inJson(LONG).subarray(0, -20), type: JSON_TYPE, status: 422, words: /not valid JSON/ },
  'JSON with other bytes among base64': { body: inJson(`${LONG}é`), type: JSON_TYPE, status: 422, words: /not base64/ },
  'JSON with an image that is none': { body: inJson(LONG), type: JSON_TYPE, status: 422, words: /be an image/ },
  'JSON of a poisonous name': {
    body: Buffer.from('{"__proto__":{}}'),
    type: JSON_TYPE,
    status: 422,
    words: /__proto__/,
  },
  'JSON of nothing': { body: Buffer.from(''), type: JSON_TYPE, status: 422, words: /not valid JSON/ },
}

for (const [what, { body, type = TYPE, status, words }] of Object.entries(ABUSES)) {
  test(`a body with ${what} is refused, and leaves nothing`, async () => {
    const reply = await exchange(gateway.url, edit(type, body))
    assert.equal(reply.status, status, reply.text.slice(0, 500))
    assert.match(JSON.parse(reply.body).error.message, words)
    assert.deepEqual([await leftOnDisk(), await openTempFiles(), fake.requests], [[], [], []])
  })
}

test('the next request on the connection is answered after a refused form', async () => {
  const both = Buffer.concat([edit(TYPE, many(200)), edit(TYPE, WHOLE)])
  const socket = open(gateway.url)
  socket.write(both)
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    if (text.includes('HTTP/1.1 200')) break
  }
  assert.match(text, /^HTTP\/1\.1 413[\s\S]*HTTP\/1\.1 200/)
})

test(`a form that is cut anywhere leaves nothing, and is no accident of ours (${CUTS} places)`, async () => {
  const whole = edit(TYPE, formOf([...FIELDS, { ...IMAGE, content: Buffer.alloc(300_000, 'abc\r\n--gate') }]).body)
  for (let cut = 1; cut <= CUTS; cut++) {
    const socket = open(gateway.url)
    await new Promise<void>((resolve) => socket.write(whole.subarray(0, 250 + cut * 29_000), () => resolve()))
    socket.destroy()
    await once(socket, 'close')
  }
  const { status } = await exchange(gateway.url, edit(TYPE, WHOLE))
  assert.equal(status, 200)
  await tempFilesClosed()
  assert.deepEqual([await leftOnDisk(), fake.requests.length], [[], 1])
  assert.doesNotMatch(gateway.logs(), /unexpected error/)
})

test('a client that leaves in the middle of a large answer or upload leaves no file open', async () => {
  fake.next(json({ data: [{ b64_json: Buffer.alloc(6 * MB, 'image').toString('base64') }] }))
  const body = Buffer.from(JSON.stringify({ model: 'openai/gpt-image-2', prompt: 'x' }))
  const headers = [`Authorization: Bearer ${API_KEY}`, 'Content-Type: application/json']
  const socket = open(gateway.url)
  socket.write(request('POST /v3/images/generations', headers, body))
  await once(socket, 'data')
  assert.equal((await openTempFiles()).length, 1)
  socket.destroy()
  await tempFilesClosed()
  const upload = open(gateway.url)
  const large = edit(TYPE, formOf([...FIELDS, { ...IMAGE, content: Buffer.alloc(MB - 1000) }]).body)
  upload.write(large.subarray(0, -500_000))
  while ((await openTempFiles()).length === 0) await setImmediate()
  upload.destroy()
  await tempFilesClosed()
  assert.doesNotMatch(gateway.logs(), /unexpected error/)
})

function edit(type: string, body: Buffer): Buffer {
  return request('POST /v3/images/edits', [`Authorization: Bearer ${API_KEY}`, `Content-Type: ${type}`], body)
}

async function leftOnDisk(): Promise<string[]> {
  const folders = ['blobs', 'temp-files'].map(async (folder) => {
    const root = join(gateway.gateway.services.calls.config.dataDir, folder)
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
    // The folder has a name of its own in a file.
    return entries.filter((entry) => entry.isFile() && entry.name !== 'folder-id').map(({ name }) => name)
  })
  return (await Promise.all(folders)).flat()
}

/** Unlinked files that this process, in which the gateway runs, still holds open. */
async function openTempFiles(): Promise<string[]> {
  const handles = await readdir('/proc/self/fd')
  const paths = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')))
  return paths.filter((path) => path.includes('/temp-files/'))
}

async function tempFilesClosed(): Promise<void> {
  while ((await openTempFiles()).length > 0) await setImmediate()
}
