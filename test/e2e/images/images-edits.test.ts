import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { OpenAI } from 'openai'
import { gif, jpeg, png, webp } from '../../../src/base/sniff/fixtures/small-files.ts'
import { MASK } from '../../../src/translation/dialects/image-wires/fixtures/image-calls.ts'
import { makeCertificate } from '../../../src/platform/net/egress/fixtures/self-made-certificate.ts'
import { GOOD, openWeb } from '../../../src/platform/net/egress/fixtures/servers.ts'
import { formOf, json, PNG_IMAGE, type SeenImageRequest } from '../../fakes/images.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type ImageReply, imagesGateway } from './images-gateway.ts'
import { taskClient } from '../../gateway/task-client.ts'

const setup = await imagesGateway()
const { gateway, fake, edit, editForm } = setup
const client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
const files = taskClient(gateway.url)

const GPT = { model: 'openai/gpt-image-2', prompt: 'a gate' }
const OTHER = { model: 'openai/some-image-model', prompt: 'a gate' }
const [PNG, JPEG, WEBP] = [png(8, 4), jpeg(5, 6), webp.lossy(7, 8)]
const BOMB = png(60_000, 60_000)

test('the task that generates images works with any image model, with and without input images', async () => {
  const input = { text: 'a gate', num_images: 2, resolution: '1024x1024' }
  const { status, body, text } = await files.run({ model: 'image/generation/xai', input })
  const items = (body.output as { items: { image: string; image_resource_url: string }[] }).items
  assert.deepEqual([status, body.provider, body.cost, items.length], [200, 'xai', 0.04, 2], text)
  assert.equal(items[0]!.image, PNG_IMAGE.toString('base64'))
  const link = await fetch(items[1]!.image_resource_url)
  assert.deepEqual(Buffer.from(await link.arrayBuffer()), PNG_IMAGE)
  const { file_id } = await files.store(PNG, 'a.png')
  const edited = { text: 'a gate', reference_images: [file_id] }
  const changed = await files.run({ model: 'image/generation/xai/grok-imagine-image', input: edited })
  assert.deepEqual([changed.status, fake.requests.at(-1)?.path], [200, '/v1/images/edits'], changed.text)
  const unnamed = await files.run({ model: 'image/generation/leonardo', input })
  assert.match(unnamed.body.error.message, /has no credential|Add a model/)
  const none = await files.run({ model: 'image/generation/deepl', input })
  assert.match(none.body.error.message, /Providers: openai, sandbox, amazon, bfl/)
  fake.next((_, response) => void response.writeHead(400).end('{"error":{"message":"No."}}'))
  const refused = await files.run({ model: 'image/generation/xai', input })
  assert.deepEqual([refused.status, refused.body.cost], [400, 0], refused.text)
})

test('what the image endpoints refuse is also refused as a setting of the task, before any call', async () => {
  const before = fake.requests.length
  const settings = [{ n: 1000 }, { size: 7 }, { extra_headers: { host: 'elsewhere' } }, { extra_headers: 'x' }]
  for (const provider_params of settings) {
    const { status, body, text } = await files.run({
      model: 'image/generation/xai',
      input: { text: 'a gate' },
      provider_params,
    })
    assert.equal(status, 422, text)
    assert.match(body.error.param ?? '', /^provider_params\.(n|size|extra_headers)/)
  }
  assert.equal(fake.requests.length, before)
})

test('the openai package: an image, several images, a mask', async () => {
  const { data } = await client.images.edit({ ...GPT, image: fileOf(PNG, 'a.png') })
  assert.equal(data![0]!.b64_json, PNG_IMAGE.toString('base64'))
  assert.deepEqual(await sent(0), { model: 'gpt-image-2', prompt: 'a gate', n: '1', image: [PNG] })
  const image = [fileOf(PNG, 'a.png'), fileOf(JPEG, 'b.jpg')]
  const more = { n: 2, size: '1024x1024' as const, quality: 'low' as const, background: 'opaque' as const }
  const several = await client.images.edit({ ...GPT, ...more, image, mask: fileOf(PNG, 'm.png') })
  assert.equal(several.data!.length, 2)
  assert.deepEqual(await sent(1), {
    model: 'gpt-image-2',
    prompt: 'a gate',
    n: '2',
    size: '1024x1024',
    quality: 'low',
    background: 'opaque',
    'image[]': [PNG, JPEG],
    mask: [PNG],
  })
})

test('the sandbox changes images too', async () => {
  const image = fileOf(PNG, 'a.png')
  const { data, size } = await client.images.edit({ model: 'sandbox/image', prompt: 'x', image, size: '1024x1024' })
  assert.deepEqual([data!.length, size], [1, '1024x1024'])
})

test('as JSON: an upload, a data URL, a mask; the first is the canvas', async () => {
  const { file_id } = await files.store(PNG, 'canvas')
  const images = [{ file_id }, { image_url: dataUrl(JPEG, 'image/png') }]
  const { status, body } = await edit({ ...GPT, images, mask: { image_url: dataUrl(WEBP, 'image/webp') }, seed: 5 })
  assert.equal(status, 200, JSON.stringify(body))
  const expected = { model: 'gpt-image-2', prompt: 'a gate', n: '1', seed: '5', 'image[]': [PNG, JPEG], mask: [WEBP] }
  assert.deepEqual(await sent(0), expected)
  const form = await formOf(fake.requests[0]!)
  const types = form.getAll('image[]').map((file) => [(file as File).type, (file as File).name])
  assert.deepEqual(types, [
    ['image/png', 'image.png'],
    ['image/jpeg', 'image.jpeg'],
  ])
})

test('large data URLs go by the disk, however they are escaped; in a field of the provider they stay what they are', async () => {
  const [one, other, mask] = [1, 2, 3].map((fill) => Buffer.concat([PNG, Buffer.alloc(200_000, fill)])) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  const images = [{ image_url: dataUrl(one) }, { image_url: dataUrl(JPEG) }, { image_url: dataUrl(other) }]
  const options = { ...OTHER, control: dataUrl(mask), images, mask: { image_url: dataUrl(mask) } }
  const body = JSON.stringify(options).replaceAll('/', '\\/').replaceAll('+', '\\u002B')
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const response = await fetch(`${gateway.url}/v3/images/edits`, { method: 'POST', headers, body })
  assert.equal(response.status, 200, await response.text())
  const { control, mask: files, 'image[]': sentImages } = await sent(0)
  assert.deepEqual([control, files, sentImages], [dataUrl(mask), [mask], [one, JPEG, other]])
})

test('a large image is put into a JSON body as it is sent', async () => {
  const ready = { id: 't', status: 'Ready', result: { sample: fake.imageUrl } }
  for (const answer of [{ id: 't', polling_url: `${fake.url}/get_result` }, ready]) fake.next(json(answer))
  const large = Buffer.concat([PNG, Buffer.alloc(200_001, 'abc')])
  const images = [{ image_url: dataUrl(large) }, { file_id: (await files.store(large, 'a')).file_id }]
  const { status, body } = await edit({ model: 'bfl/flux-2-pro', prompt: 'é', images })
  assert.equal(status, 200, JSON.stringify(body))
  const { prompt, input_image, input_image_2 } = JSON.parse(String(fake.requests[0]!.bytes))
  assert.deepEqual([prompt, input_image, input_image_2], ['é', large.toString('base64'), large.toString('base64')])
})

test('an address is refused for gpt-image with what to do instead, and fetched through the guard for others', async () => {
  const images = [{ image_url: dataUrl(PNG) }, { image_url: 'https://example.com/a.png' }]
  const place = ['body', 'images', 1, 'image_url']
  const refused = await edit({ ...GPT, images })
  assertIssue(refused, place, /gpt-image family do not accept remote URLs.*data URL, or upload/)
  const mask = { image_url: 'https://example.com/a.png' }
  assertIssue(await edit({ ...GPT, images: images.slice(0, 1), mask }), ['body', 'mask', 'image_url'], /gpt-image/)
  for (const image_url of [
    'https://10.1.2.3/a.png',
    'https://127.0.0.1:1/a.png',
    'https://metadata.google.internal/',
  ]) {
    const { status, body } = await edit({ ...OTHER, images: [images[0], { image_url }] })
    assert.deepEqual([status, body.detail[0]!.loc], [422, place], image_url)
  }
  assert.deepEqual(fake.requests, [])
})

test('for a provider that takes bytes only, an https address is fetched through the guard', async (context) => {
  const certificate = makeCertificate([GOOD])
  const fallback = getCACertificates('default')
  setDefaultCACertificates([...fallback, certificate.cert])
  context.after(() => setDefaultCACertificates(fallback))
  const large = Buffer.concat([WEBP, Buffer.alloc(300_000, 7)])
  const web = await openWeb(context, ({ url }, response) => response.end(url === '/large' ? large : PNG), certificate)
  const urls = ['small', 'large'].map((path) => ({ image_url: `https://${GOOD}:${web.port}/${path}` }))
  const { status, body } = await edit({ ...OTHER, images: urls, mask: urls[0] })
  assert.equal(status, 200, JSON.stringify(body))
  const { 'image[]': images, mask } = await sent(0)
  assert.deepEqual([images, mask], [[PNG, large], [PNG]])
  assert.deepEqual([web.good.connections, web.canary.connections], [3, 0])
})

test('files that do not exist and files of other owners are not found', async () => {
  const { key } = await adminClient(gateway.adminUrl).issue({ owner: 'another owner' })
  const { file_id: foreign } = await taskClient(gateway.url, key).store(PNG, 'a.png')
  const { status, body } = await edit({ ...OTHER, images: [{ file_id: foreign }] })
  assert.deepEqual([status, body.error.code], [404, 'not_found'])
  for (const file_id of ['file-abc', 'https://example.com/a.png', '']) {
    const malformed = await edit({ ...OTHER, images: [{ file_id }] })
    assert.deepEqual([malformed.status, malformed.body.error.code], [422, 'validation_error'], file_id)
  }
})

test('what is no image, is damaged, or would unpack to too much is refused by its header', async () => {
  const { file_id } = await files.store('hello', 'a.png')
  assertIssue(await edit({ ...GPT, images: [{ file_id }] }), ['body', 'images', 0, 'file_id'], /should be an image/)
  const bad: [Buffer, RegExp][] = [
    [Buffer.from('plain text'), /should be an image/],
    [PNG.subarray(0, 20), /complete header/],
    [BOMB, /at most 100 megapixels/],
    [gif(65_535, 65_535), /at most 100 megapixels/],
    [Buffer.alloc(0), /should be an image/],
  ]
  for (const [bytes, words] of bad) {
    const image_url = dataUrl(bytes)
    assertIssue(await edit({ ...GPT, images: [{ image_url }] }), ['body', 'images', 0, 'image_url'], words)
    assertIssue(await editForm(form({ ...GPT }, { image: bytes })), ['body', 'image', 0], words)
  }
  assert.deepEqual(fake.requests, [])
})

test('references are checked: one of two, one to sixteen, nothing else', async () => {
  const one = { image_url: dataUrl(PNG) }
  const wrong: [object, (string | number)[]][] = [
    [{}, ['body', 'images']],
    [{ images: [] }, ['body', 'images']],
    [{ images: Array(17).fill(one) }, ['body', 'images']],
    [{ images: [{ ...one, file_id: randomUUID() }] }, ['body', 'images', 0]],
    [{ images: [{}] }, ['body', 'images', 0]],
    [{ images: [{ image_url: 'ftp://x/a.png' }] }, ['body', 'images', 0, 'image_url']],
    [{ images: [one], mask: {} }, ['body', 'mask']],
  ]
  for (const [options, loc] of wrong) {
    const { status, body } = await edit({ ...GPT, ...options })
    assert.deepEqual([status, body.detail[0]!.loc], [422, loc], JSON.stringify(body))
  }
  assert.equal((await edit({ ...GPT, images: Array(16).fill(one), mask: null })).status, 200)
  assert.equal((await formOf(fake.requests[0]!)).getAll('image[]').length, 16)
})

test('a form is checked like JSON, at the same places', async () => {
  const fields = { ...GPT }
  const wrong: [FormData, (string | number)[], RegExp][] = [
    [form(fields, {}), ['body', 'image'], /Field required/],
    [form({ prompt: 'x' }, { image: PNG }), ['body', 'model'], /Field required/],
    [form({ ...fields, prompt: '' }, { image: PNG }), ['body', 'prompt'], /at least 1 character/],
    [form({ ...fields, n: 'two' }, { image: PNG }), ['body', 'n'], /valid integer/],
    [form({ ...fields, n: '11' }, { image: PNG }), ['body', 'n'], /less than or equal to 10/],
    [form({ ...fields, image: 'text' }, {}), ['body', 'image'], /should be a file/],
    [form(fields, { image: PNG, other: PNG }), ['body', 'other'], /Only image and mask/],
    [twice(form(fields, { image: PNG }), 'prompt', 'again'), ['body', 'prompt'], /only once/],
    [
      form(fields, Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`image[${at}]`, PNG]))),
      ['body', 'image'],
      /at most 16/,
    ],
  ]
  for (const [options, loc, words] of wrong) assertIssue(await editForm(options), loc, words)
  assert.deepEqual(fake.requests, [])
})

test('lists and unknown fields of a form arrive as they were sent', async () => {
  const options = twice(form({ ...OTHER, 'tags[]': 'a', note: 'é "quoted"\r\n--x' }, { 'image[]': PNG }), 'tags[]', 'b')
  assert.equal((await editForm(options)).status, 200)
  const { note, 'tags[]': tags } = await sent(0)
  assert.deepEqual([note, tags], ['é "quoted"\r\n--x', ['a', 'b']])
})

test('a mask is painted, in another thread, for providers that want it painted', async () => {
  fake.next(json({ id: 't', polling_url: `${fake.url}/get_result` }))
  fake.next(json({ id: 't', status: 'Ready', result: { sample: fake.imageUrl } }))
  const threads: unknown[] = []
  const watch = (message: unknown) => threads.push(message)
  subscribe('worker_threads', watch)
  const mask = { image_url: dataUrl(Buffer.from((MASK as { bytes: Uint8Array }).bytes)) }
  const images = [{ image_url: dataUrl(PNG) }]
  const { status, body } = await edit({ model: 'bfl/flux-pro-1.0-fill', prompt: 'x', images, mask })
  unsubscribe('worker_threads', watch)
  assert.equal(status, 200, JSON.stringify(body))
  const painted = Buffer.from(JSON.parse(String(fake.requests[0]!.bytes)).mask, 'base64')
  assert.deepEqual([painted.readUInt32BE(16), painted.readUInt32BE(20), painted[25]], [2, 1, 0])
  // On a busy machine, the gateway may start another thread for itself meanwhile.
  assert.ok(threads.length > 0)
})

/** What the provider received: fields by name, files by their bytes. */
async function sent(index: number): Promise<Record<string, unknown>> {
  const seen = fake.requests[index] as SeenImageRequest
  assert.equal(seen.path, '/v1/images/edits')
  const all = await formOf(seen)
  const names = [...new Set(all.keys())]
  const values = names.map(async (name) => [name, await valuesOf(all.getAll(name))])
  return Object.fromEntries(await Promise.all(values))
}

async function valuesOf(values: (string | File)[]): Promise<unknown> {
  const read = values.map(async (value) => (typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer())))
  const all = await Promise.all(read)
  return all.length === 1 && typeof all[0] === 'string' ? all[0] : all
}

function form(fields: Record<string, string>, images: Record<string, Buffer>): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) made.append(name, value)
  for (const [name, bytes] of Object.entries(images)) made.append(name, new Blob([new Uint8Array(bytes)]), 'a.png')
  return made
}

function twice(made: FormData, name: string, value: string): FormData {
  made.append(name, value)
  return made
}

function fileOf(bytes: Buffer, name: string): File {
  return new File([new Uint8Array(bytes)], name)
}

function dataUrl(bytes: Buffer, type = 'image/png'): string {
  return `data:${type};base64,${bytes.toString('base64')}`
}

function assertIssue({ status, body }: ImageReply, loc: (string | number)[], words: RegExp): void {
  assert.deepEqual([status, body.detail?.[0]?.loc], [422, loc], JSON.stringify(body))
  assert.match(body.detail[0]!.msg, words)
}
