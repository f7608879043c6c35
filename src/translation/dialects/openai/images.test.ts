import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../../contract/problems.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { WireRequest } from '../../wire/wire.ts'
import type { ImageCall, ImageReply } from '../image-codec.ts'
import { images } from './images.ts'

const TARGET = { baseUrl: 'https://provider.test/v1', model: 'some-image-model' }
const GPT = { ...TARGET, model: 'gpt-image-2' }
const PNG = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1')
const LONG = 'QUJD'.repeat(100_000)

test('a generation is a JSON object with the requested fields, including unknown ones', () => {
  const extra = {
    background: 'transparent',
    seed: 7,
    nothing: null,
    deep: { a: [1] },
    model: 'dearer',
    prompt: 'other',
  }
  const { wire, notes } = images.encode(call({ n: 2, size: '64x64', responseFormat: 'url', extra }), TARGET)
  assert.equal(wire.url, 'https://provider.test/v1/images/generations')
  assert.deepEqual(JSON.parse(String(wire.body)), {
    ...extra,
    model: 'some-image-model',
    prompt: 'a gate',
    n: 2,
    size: '64x64',
    response_format: 'url',
  })
  assert.deepEqual(notes, [])
})

test('any fields that the gateway does not know arrive unchanged, and never in the place of its own', () => {
  const own = { model: TARGET.model, prompt: 'a gate', n: 1 }
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (extra) => {
      const { wire } = images.encode(call({ extra }), TARGET)
      assert.deepEqual(JSON.parse(String(wire.body)), JSON.parse(JSON.stringify({ ...extra, ...own })))
    }),
    { numRuns: 100 },
  )
})

test('the gpt-image family gets its own values of quality, and no response_format', () => {
  const { wire, notes } = images.encode(call({ quality: 'hd', responseFormat: 'url' }), GPT)
  const { quality, response_format } = JSON.parse(String(wire.body))
  assert.deepEqual([quality, response_format], ['high', undefined])
  assert.deepEqual(
    notes.map(({ field }) => field),
    ['quality', 'response_format'],
  )
  const low = images.encode(call({ quality: 'low', responseFormat: 'b64_json' }), GPT)
  assert.equal(JSON.parse(String(low.wire.body)).quality, 'low')
  assert.deepEqual(low.notes, [])
})

test('only the gpt-image family refuses addresses', () => {
  for (const model of ['gpt-image-1.5', 'chatgpt-image-latest', 'openai/gpt-image-2'])
    assert.match(images.refusesUrls!({ ...TARGET, model }) ?? '', /data URL, or upload/)
  for (const model of ['flux', 'my-gpt-images-like']) assert.equal(images.refusesUrls!({ ...TARGET, model }), undefined)
})

test('an edit is a form: files as they are, lists and objects by their names', async () => {
  const extra = { tags: ['a', 'b'], svg: { model: 'x' }, nothing: null, flag: true }
  const image = { bytes: PNG, mediaType: 'image/png', name: 'image.png' }
  const input = call({ mode: 'edit', images: [image, image], mask: image, extra })
  const form = await formOf(images.encode(input, TARGET).wire)
  assert.deepEqual(
    [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.type]),
    [
      ...[
        ['tags[]', 'a'],
        ['tags[]', 'b'],
        ['svg[model]', 'x'],
        ['flag', 'true'],
        ['model', 'some-image-model'],
      ],
      ...[
        ['prompt', 'a gate'],
        ['n', '1'],
      ],
      ...[
        ['image[]', 'image/png'],
        ['image[]', 'image/png'],
        ['mask', 'image/png'],
      ],
    ],
  )
  assert.deepEqual(Buffer.from(await (form.get('mask') as File).arrayBuffer()), PNG)
  const single = await formOf(images.encode(call({ mode: 'edit', images: [image] }), TARGET).wire)
  assert.ok(single.get('image') instanceof File)
})

test('encoding is pure, and no content can end its part of the form', async () => {
  const image = { bytes: PNG, mediaType: 'image/png', name: 'a"\r\n.png' }
  const input = call({ mode: 'edit', images: [image] })
  const first = images.encode(input, TARGET).wire
  assert.deepEqual(images.encode(input, TARGET).wire, first)
  const boundary = /boundary=(.*)$/.exec(first.headers['content-type']!)![1]!
  const injected = `x\r\n--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\ndearer`
  const form = await formOf(images.encode(call({ mode: 'edit', images: [image], prompt: injected }), TARGET).wire)
  assert.deepEqual([form.getAll('model'), form.get('prompt')], [['some-image-model'], injected])
})

test('an address that reached the form is refused at its place', () => {
  const input = call({ mode: 'edit', images: [{ url: 'https://example.com/a.png' }] })
  assert.throws(
    () => images.encode(input, TARGET),
    (error) => error instanceof Problem && error.status === 422 && error.details.param === 'images.0',
  )
})

test('fields that a row refuses or renames are dropped or renamed, with a note', () => {
  const target = { ...TARGET, fieldRules: { drop: ['user'], rename: { size: 'resolution' }, defaults: { x: 1 } } }
  const { wire, notes } = images.encode(call({ size: '1x1', extra: { user: 'u' } }), target)
  const body = JSON.parse(String(wire.body))
  assert.deepEqual([body.user, body.size, body.resolution, body.x], [undefined, undefined, '1x1', undefined])
  assert.deepEqual(
    notes.map(({ field, action }) => [field, action]),
    [
      ['user', 'dropped'],
      ['size', 'renamed'],
    ],
  )
})

test('an answer is read: short and long base64, URLs, usage, metadata', () => {
  const usage = {
    input_tokens: 5,
    output_tokens: 7,
    total_tokens: 12,
    input_tokens_details: { text_tokens: 2, image_tokens: 3 },
    output_tokens_details: { text_tokens: 1, image_tokens: 6 },
  }
  const data = [
    { b64_json: 'QUJD', revised_prompt: 'better' },
    { b64_json: LONG },
    { b64_json: `data:image/png;base64,${LONG}` },
    { url: 'https://cdn.test/a.png', b64_json: null },
  ]
  const reply = decode({ created: 5, data, output_format: 'png', size: '1x1', quality: 'low', usage })
  assert.deepEqual(
    { ...reply, data: [] },
    { created: 5, data: [], outputFormat: 'png', size: '1x1', quality: 'low', usage },
  )
  const [short, long, typed, linked] = reply.data
  assert.deepEqual(short, { b64_json: 'QUJD', revised_prompt: 'better' })
  assert.deepEqual([long, typed], [{ b64_json: LONG }, { b64_json: LONG }])
  assert.deepEqual(linked, { url: 'https://cdn.test/a.png' })
})

test('a requested stream: finished images count, partial ones do not, usage is summed', () => {
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 }
  const events = [
    { type: 'image_generation.partial_image', b64_json: 'cGFydA==', partial_image_index: 0 },
    { type: 'image_generation.completed', b64_json: LONG, created_at: 9, size: '2x2', usage },
    { type: 'image_generation.completed', b64_json: 'QUJD', created_at: 9, usage },
  ]
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  const reply = decodeText(`${text}data: [DONE]\n\n`, 'text/event-stream')
  assert.deepEqual([reply.created, reply.size, reply.data.length], [9, '2x2', 2])
  assert.deepEqual(reply.usage, { input_tokens: 2, output_tokens: 4, total_tokens: 6 })
  assert.throws(
    () => decodeText('data: {"error":{"message":"no","code":"moderation_blocked"}}\n', 'text/event-stream'),
    {
      kind: 'content_policy',
    },
  )
})

test('whatever a provider sends, decoding gives a reply or an UpstreamProblem', () => {
  const odd = ['', '{}', '{"data":[]}', '{"data":[{}]}', '{"data":[null,{"url":5}]}', '{"error":"x"}', '<html>', '"\\"']
  const types = fc.constantFrom('application/json', 'text/event-stream', '')
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...odd), fc.json(), fc.string()), types, (text, type) => {
      for (const sent of [text, `data: ${text}\n\n`])
        try {
          assert.ok(decodeText(sent, type).data.length > 0)
        } catch (error) {
          assert.ok(error instanceof UpstreamProblem, String(error))
        }
    }),
    { numRuns: 150 },
  )
})

function call(more: Partial<ImageCall> = {}): ImageCall {
  return {
    mode: 'generate',
    prompt: 'a gate',
    n: 1,
    size: undefined,
    quality: undefined,
    responseFormat: undefined,
    extra: {},
    images: [],
    mask: undefined,
    ...more,
  }
}

function decode(answer: object): ImageReply {
  return decodeText(JSON.stringify(answer), 'application/json')
}

function decodeText(text: string, mediaType: string): ImageReply {
  const step = images.decode({ headers: {}, mediaType, bytes: Buffer.from(text) }, call(), TARGET)
  assert.ok(step.done)
  return step.reply
}

function formOf({ body, headers }: WireRequest): Promise<FormData> {
  return new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData() as Promise<FormData>
}
