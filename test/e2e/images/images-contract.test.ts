import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImageResponse } from '../../../src/contract/images.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import { json, PNG_IMAGE, USAGE } from '../../fakes/images.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type ImageReply, image, imagesGateway } from './images-gateway.ts'

// The letter of the contract of images, at providers of several wire formats.

const { gateway, fake, generate, edit, editForm } = await imagesGateway({}, ['GEMINI', 'TOGETHER'])

const BASE64 = PNG_IMAGE.toString('base64')
const GEMINI = { model: 'google/gemini-3-pro-image', prompt: 'a gate' }
const GPT = { model: 'openai/gpt-image-2', prompt: 'a gate' }
const OTHER = { model: 'openai/some-image-model', prompt: 'a gate' }
const TOGETHER = { model: 'together/black-forest-labs/FLUX.2-pro', prompt: 'a gate' }
const XAI = { model: 'xai/grok-imagine-image', prompt: 'a gate' }
const drawnByGemini = json({
  candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: BASE64 } }] } }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7 },
})
const listed = json({ created: 1, data: [{ b64_json: BASE64 }] })

test('every item has b64_json, url and revised_prompt, from every provider', async () => {
  for (const body of [GPT, TOGETHER, XAI, { model: 'sandbox/image', prompt: 'x', size: '8x8' }]) {
    fake.always(listed)
    assertImage(await generate(body))
  }
  fake.always(drawnByGemini)
  assertImage(await generate(GEMINI))
  fake.always(json({ data: [{ url: 'https://cdn.test/a.png', revised_prompt: 'better' }] }))
  const { body } = await generate({ ...OTHER, size: '8x8' })
  assert.deepEqual(body.data, [image({ url: 'https://cdn.test/a.png', revised_prompt: 'better' })])
})

test('image_config reaches Gemini from generations, edits and forms', async () => {
  fake.always(drawnByGemini)
  const image_config = { aspect_ratio: '16:9', image_size: '2K' }
  const images = [{ image_url: `data:image/png;base64,${BASE64}` }]
  const form = new FormData()
  const fields = { ...GEMINI, image_config: JSON.stringify(image_config) }
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('image', new Blob([new Uint8Array(PNG_IMAGE)]), 'a.png')
  await generate({ ...GEMINI, image_config, size: '1024x1024' })
  await edit({ ...GEMINI, image_config, images })
  await editForm(form)
  await generate({ ...GEMINI, image_config: { image_size: '4K', aspect_ratio: null }, size: '1536x1024' })
  const configs = fake.requests.map(({ bytes }) => JSON.parse(String(bytes)).generationConfig.imageConfig)
  const wide = { aspectRatio: '16:9', imageSize: '2K' }
  assert.deepEqual(configs, [wide, wide, wide, { aspectRatio: '3:2', imageSize: '4K' }])
  const refused = await generate({ ...GEMINI, image_config: { ratio: '1:1' } })
  assert.deepEqual([refused.status, refused.body.error.code], [422, 'validation_error'])
})

test('what a provider has no field for is named in a header', async () => {
  const extra = { background: 'opaque', never_heard_of: 1, 'näme, odd': 2, image_config: { aspect_ratio: '1:1' } }
  fake.always(drawnByGemini)
  const gemini = await generate({ ...GEMINI, ...extra })
  assert.equal(gemini.headers.get('x-gatehouse-dropped-fields'), 'background, never_heard_of, n%C3%A4me,%20odd')
  fake.always(listed)
  const together = await generate({ ...TOGETHER, ...extra })
  assert.equal(together.headers.get('x-gatehouse-dropped-fields'), 'background, image_config')
  const passed = await generate({ ...OTHER, ...extra })
  assert.equal(passed.headers.get('x-gatehouse-dropped-fields'), null)
  assert.equal(JSON.parse(String(fake.requests.at(-1)!.bytes)).never_heard_of, 1)
  assert.equal((await generate(OTHER)).headers.get('x-gatehouse-dropped-fields'), null)
})

test('usage has OpenAI’s shape, and is absent where the provider counts nothing', async () => {
  const counted = (usage?: object) => json({ created: 1, data: [{ b64_json: BASE64 }], ...(usage && { usage }) })
  fake.always(counted(USAGE))
  assert.deepEqual((await generate(GPT)).body.usage, USAGE)
  const plain = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }
  fake.always(counted(plain))
  assert.deepEqual((await generate(OTHER)).body.usage, {
    ...plain,
    input_tokens_details: { text_tokens: 3, image_tokens: 0 },
  })
  const images = [{ image_url: `data:image/png;base64,${BASE64}` }]
  assert.deepEqual((await edit({ ...OTHER, images })).body.usage, {
    ...plain,
    input_tokens_details: { text_tokens: 0, image_tokens: 3 },
  })
  for (const usage of [undefined, {}, { input_tokens: 0, output_tokens: 0, total_tokens: 0 }]) {
    fake.always(counted(usage))
    const { body } = await generate(OTHER)
    assert.ok(!('usage' in body))
    assert.deepEqual(validator(ImageResponse).issues(body, []), [])
  }
})

test('an unknown format is absent and never "unknown"', async () => {
  fake.always(json({ data: [{ b64_json: Buffer.from('not an image').toString('base64') }] }))
  const { body } = await generate(OTHER)
  assert.ok(!('output_format' in body))
})

test('stream is passed on, its events are read to the last image, and the answer is JSON with a note', async () => {
  const last = { type: 'image_generation.completed', b64_json: BASE64, usage: USAGE, output_format: 'png' }
  const partial = { type: 'image_generation.partial_image', b64_json: 'QUJD', partial_image_index: 0 }
  const events = [partial, last].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  fake.always((_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events))
  const headers = { 'x-gatehouse-metadata': 'enabled' }
  const whole = await generate({ ...GPT, stream: true }, { headers })
  assert.equal(JSON.parse(String(fake.requests[0]!.bytes)).stream, true)
  assert.match(whole.headers.get('content-type')!, /^application\/json/)
  assert.deepEqual([whole.body.data, whole.body.usage], [[image({ b64_json: BASE64 })], USAGE])
  assert.equal(whole.headers.get('x-gatehouse-dropped-fields'), 'stream')
  assert.deepEqual(
    whole.body.gatehouse.notes.map(({ field }) => field),
    ['stream'],
  )
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...GPT, stream: 'true' })) form.set(name, value)
  form.set('image', new Blob([new Uint8Array(PNG_IMAGE)]), 'a.png')
  const edited = await editForm(form)
  assert.deepEqual([edited.status, edited.headers.get('x-gatehouse-dropped-fields')], [200, 'stream'])
  fake.always((_, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(partial)}\n\n`),
  )
  assert.equal((await generate({ ...GPT, stream: true })).status, 502)
  fake.always(drawnByGemini)
  assert.equal((await generate({ ...GEMINI, stream: true })).headers.get('x-gatehouse-dropped-fields'), 'stream')
})

test('image models in a chat are 400: listed, retired, as a fallback and as a candidate of the router', async () => {
  const messages = [{ role: 'user', content: 'x' }]
  const retired = ['openai/dall-e-2', 'openai/dall-e-3', 'openai/gpt-image-1', 'google/imagen-4.0-generate-001']
  const images = ['sandbox/image', 'openai/gpt-image-2', ...retired]
  for (const model of images) {
    for (const [path, body] of [
      ['chat/completions', { model, messages }],
      ['chat/completions', { model: 'sandbox/echo', fallbacks: [model], messages }],
      ['chat/completions', { model: '@service', router_candidates: [model], messages }],
      ['responses', { model, input: 'x' }],
      ['v1/messages', { model, messages, max_tokens: 5 }],
      ['embeddings', { model, input: 'x' }],
    ] as const) {
      const { status, text } = await post(path, body)
      assert.equal(status, 400, `${path} ${JSON.stringify(body)} ${text}`)
      assert.match(text, /do not support the .* endpoint/)
    }
  }
})

function assertImage({ status, body }: ImageReply): void {
  assert.equal(status, 200, JSON.stringify(body).slice(0, 500))
  assert.deepEqual(Object.keys(body.data[0]!), ['b64_json', 'url', 'revised_prompt'])
  assert.deepEqual(validator(ImageResponse).issues(body, []), [])
}

async function post(path: string, body: object) {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const response = await fetch(`${gateway.url}/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}
