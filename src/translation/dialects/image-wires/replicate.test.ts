import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, FOX, FOX_AT, FOX_DATA_URL, MASK, sent } from './fixtures/image-calls.ts'
import { replicate } from './replicate.ts'

const BASE = 'https://api.replicate.com/v1'
const VERSION = 'ab'.repeat(32)
const target = (model: string) => ({ baseUrl: BASE, model })

describe('Replicate', () => {
  test('sends the request to the model, and waits', async () => {
    const input = call({ size: '1024x1536', quality: 'high', extra: { seed: 1, user: 'u' } })
    const { url, headers, body, notes } = await sent(replicate, input, target('black-forest-labs/flux-schnell'))
    assert.equal(url, `${BASE}/models/black-forest-labs/flux-schnell/predictions`)
    assert.equal(headers.prefer, 'wait=30')
    assert.deepEqual(body, { input: { seed: 1, prompt: 'a fox', aspect_ratio: '2:3', quality: 'high' } })
    assert.match(notes.join('; '), /size translated: .*user dropped/)
  })

  test('requests a version by its number', async () => {
    for (const model of [VERSION, `owner/name:${VERSION}`]) {
      const { url, body } = await sent(replicate, call({ extra: { width: 512 } }), target(model))
      assert.equal(url, `${BASE}/predictions`)
      assert.deepEqual(body, { version: VERSION, input: { width: 512, prompt: 'a fox' } })
    }
  })

  test('gets images as each model wants them', async () => {
    const inputOf = async (model: string, input: ReturnType<typeof call>) =>
      (await sent(replicate, input, target(model))).body.input
    const two = call({ images: [FOX, FOX_AT] })
    const prompt = 'a fox'
    const address = 'https://example.com/fox.png'
    const numbered = { prompt, input_image: FOX_DATA_URL, input_image_2: address }
    assert.deepEqual(await inputOf('black-forest-labs/flux-kontext-pro', two), numbered)
    assert.deepEqual(await inputOf('google/nano-banana', two), { prompt, image_input: [FOX_DATA_URL, address] })
    const filled = (await inputOf('b/flux-fill-dev', call({ images: [FOX], mask: MASK }))) as Record<string, string>
    assert.equal(filled.image, FOX_DATA_URL)
    assert.match(filled.mask!, /^data:image\/png;base64,/)
    assert.throws(() => replicate.encode(two, target('b/flux-dev')), /images: Replicate accepts one image/)
  })

  test('is never led to another address by the name of a model', () => {
    for (const model of ['../predictions', 'a/..', 'a//b', 'a/./b'])
      assert.throws(() => replicate.encode(call(), target(model)), { code: 'model_not_found' })
    assert.match(replicate.encode(call(), target('a/b?c#d')).wire.url, /models\/a\/b%3Fc%23d\/predictions$/)
  })
})
