import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, FOX, FOX_AT, FOX_DATA_URL, MASK, sent } from './fixtures/image-calls.ts'
import { IMAGE_WIRES } from './index.ts'

// Wires that are close to OpenAI's, and where they leave it.

const { xai, together, deepinfra, fireworks, bytedance, minimax, leonardo } = IMAGE_WIRES
const ADDRESS = 'https://example.com/fox.png'

describe('xAI', () => {
  const target = { baseUrl: 'https://api.x.ai/v1', model: 'grok-imagine-image' }

  test('takes a shape and a scale', async () => {
    const input = call({ n: 2, size: '1536x768', quality: 'hd', responseFormat: 'url', extra: { seed: 1, user: 'u' } })
    const { url, body, notes } = await sent(xai, input, target)
    assert.equal(url, 'https://api.x.ai/v1/images/generations')
    const shape = { aspect_ratio: '2:1', resolution: '1k', quality: 'high' }
    assert.deepEqual(body, {
      user: 'u',
      model: 'grok-imagine-image',
      prompt: 'a fox',
      n: 2,
      response_format: 'url',
      ...shape,
    })
    assert.match(notes.join('; '), /size translated.*quality translated.*seed dropped/)
  })

  test('changes one image or several, without a mask', async () => {
    const one = await sent(xai, call({ images: [FOX] }), target)
    assert.deepEqual(
      [one.url, one.body.image],
      ['https://api.x.ai/v1/images/edits', { url: FOX_DATA_URL, type: 'image_url' }],
    )
    const two = await sent(xai, call({ images: [FOX, FOX_AT] }), target)
    assert.deepEqual((two.body.images as { url: string }[])[1]!.url, ADDRESS)
    assert.throws(() => xai.encode(call({ images: [FOX], mask: MASK }), target), { code: 'validation_error' })
  })
})

describe('Together', () => {
  const target = { baseUrl: 'https://api.together.ai/v1', model: 'black-forest-labs/FLUX.1-kontext-pro' }

  test('takes sides, and its own word for base64', async () => {
    const input = call({ n: 2, size: '1024x768', responseFormat: 'b64_json', extra: { steps: 4 } })
    const { url, body } = await sent(together, input, target)
    assert.equal(url, 'https://api.together.ai/v1/images/generations')
    const { model } = target
    const expected = { model, prompt: 'a fox', n: 2, response_format: 'base64', width: 1024, height: 768, steps: 4 }
    assert.deepEqual(body, expected)
  })

  test('takes images as the model wants them, and tunes only who can be tuned', async () => {
    const one = await sent(together, call({ images: [FOX] }), target)
    assert.equal(one.body.image_url, FOX_DATA_URL)
    const more = await sent(together, call({ images: [FOX_AT] }), { ...target, model: 'black-forest-labs/FLUX.2-pro' })
    assert.deepEqual(more.body.reference_images, [ADDRESS])
    const untuned = await sent(together, call({ extra: { seed: 1 } }), {
      ...target,
      model: 'google/gemini-3-pro-image',
    })
    assert.deepEqual([untuned.body.seed, untuned.notes.length], [undefined, 1])
    assert.throws(() => together.encode(call({ images: [FOX], mask: MASK }), target), /mask/)
  })
})

describe('DeepInfra', () => {
  const target = { baseUrl: 'https://api.deepinfra.com/v1/openai', model: 'black-forest-labs/FLUX-1-schnell' }

  test('generates with its own format, which reports the price', async () => {
    const { url, body } = await sent(deepinfra, call({ n: 2, size: '512x512', extra: { seed: 1 } }), target)
    assert.equal(url, 'https://api.deepinfra.com/v1/inference/black-forest-labs/FLUX-1-schnell')
    assert.deepEqual(body, { prompt: 'a fox', num_images: 2, width: 512, height: 512, seed: 1 })
  })

  test('changes images by OpenAIs form, down to the mask', async () => {
    const { url, body } = await sent(deepinfra, call({ images: [FOX], mask: MASK, size: '512x512' }), target)
    assert.equal(url, 'https://api.deepinfra.com/v1/openai/images/edits')
    assert.deepEqual(Object.keys(body), ['model', 'prompt', 'n', 'size', 'image', 'mask'])
    const { base64 } = body.mask as { base64: string }
    assert.equal(base64, Buffer.from((MASK as { bytes: Uint8Array }).bytes).toString('base64'))
  })
})

describe('Fireworks', () => {
  const base = 'https://api.fireworks.ai/inference/v1'
  const target = (name: string) => ({ baseUrl: base, model: `accounts/fireworks/models/${name}` })

  test('sends the image itself for most models', async () => {
    const input = call({ size: '1024x1024', extra: { output_format: 'png' } })
    const { url, headers, body, notes } = await sent(fireworks, input, target('flux-1-dev-fp8'))
    assert.equal(url, `${base}/workflows/accounts/fireworks/models/flux-1-dev-fp8/text_to_image`)
    assert.equal(headers.accept, 'image/jpeg')
    assert.deepEqual(body, { prompt: 'a fox', aspect_ratio: '1:1' })
    assert.match(notes.join('; '), /output_format dropped.*size translated/)
    const older = await sent(fireworks, input, target('SSD-1B'))
    assert.equal(older.url, `${base}/image_generation/accounts/fireworks/models/SSD-1B`)
    assert.deepEqual([older.body.width, older.body.height], [1024, 1024])
    assert.throws(() => fireworks.encode(call({ images: [FOX] }), target('flux-1-dev-fp8')), {
      code: 'unsupported_endpoint',
    })
  })

  test('hands out a ticket for Kontext', async () => {
    const { url, body } = await sent(fireworks, call({ images: [FOX] }), target('flux-kontext-pro'))
    assert.equal(url, `${base}/workflows/accounts/fireworks/models/flux-kontext-pro`)
    assert.deepEqual(body, { prompt: 'a fox', input_image: FOX_DATA_URL })
  })
})

describe('ByteDance', () => {
  const target = { baseUrl: 'https://ark.test/api/v3', model: 'seedream-4-5' }

  test('has one address for new and changed images', async () => {
    const drawn = await sent(
      bytedance,
      call({ size: '2K', responseFormat: 'url', extra: { watermark: false } }),
      target,
    )
    const expected = { model: 'seedream-4-5', prompt: 'a fox', size: '2K', response_format: 'url', watermark: false }
    assert.deepEqual(drawn.body, expected)
    const changed = await sent(bytedance, call({ images: [FOX, FOX_AT], size: 'auto' }), target)
    assert.equal(changed.url, drawn.url)
    assert.deepEqual(changed.body.image, [FOX_DATA_URL, ADDRESS])
    assert.throws(() => bytedance.encode(call({ images: [FOX], mask: MASK }), target), /mask/)
  })
})

describe('MiniMax', () => {
  const target = { baseUrl: 'https://api.minimax.io/v1', model: 'image-01' }

  test('takes pixels within its borders, a shape beyond them', async () => {
    const { url, body } = await sent(minimax, call({ n: 2, size: '1024x768', responseFormat: 'b64_json' }), target)
    assert.equal(url, 'https://api.minimax.io/v1/image_generation')
    const expected = { model: 'image-01', prompt: 'a fox', n: 2, response_format: 'base64', width: 1024, height: 768 }
    assert.deepEqual(body, expected)
    const { body: beyond } = await sent(minimax, call({ size: '4096x1755' }), target)
    assert.equal(beyond.aspect_ratio, '21:9')
  })

  test('draws a character again, with a note', async () => {
    const { body, notes } = await sent(minimax, call({ images: [FOX] }), target)
    assert.deepEqual(body.subject_reference, [{ type: 'character', image_file: FOX_DATA_URL }])
    assert.match(notes[0]!, /images translated/)
  })
})

describe('Leonardo', () => {
  const target = { baseUrl: 'https://cloud.leonardo.ai/api/rest/v1', model: 'de7d3faf' }

  test('takes sides in steps, and no images', async () => {
    const input = call({ n: 3, size: '1001x768', extra: { alchemy: true, modelId: 'other' } })
    const { url, body } = await sent(leonardo, input, target)
    assert.equal(url, 'https://cloud.leonardo.ai/api/rest/v1/generations')
    const expected = { alchemy: true, prompt: 'a fox', modelId: 'de7d3faf', num_images: 3, width: 1000, height: 768 }
    assert.deepEqual(body, expected)
    assert.throws(() => leonardo.encode(call({ images: [FOX] }), target), { code: 'unsupported_endpoint' })
  })
})
