import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, FOX, MASK, sent } from './fixtures/image-calls.ts'
import { ideogram } from './ideogram.ts'

const BASE = 'https://api.ideogram.ai'
const target = (model: string) => ({ baseUrl: BASE, model })

describe('Ideogram', () => {
  test('3 takes a shape and a speed', async () => {
    const input = call({ n: 4, size: '1000x1600', quality: 'hd', extra: { style: 'DESIGN', output_format: 'png' } })
    const { url, body, notes } = await sent(ideogram, input, target('ideogram-v3'))
    assert.equal(url, `${BASE}/v1/ideogram-v3/generate`)
    const expected = { prompt: 'a fox', num_images: 4, rendering_speed: 'QUALITY', style_type: 'DESIGN' }
    assert.deepEqual(body, { ...expected, aspect_ratio: '10x16' })
    assert.match(notes.join('; '), /output_format dropped.*quality translated.*QUALITY.*size translated/)
  })

  test('sends the quality as a speed, and keeps its own values', async () => {
    const speeds = ['low', 'standard', 'high', 'flash', 'auto'].map(async (quality) => {
      return (await sent(ideogram, call({ quality }), target('v3'))).body.rendering_speed
    })
    assert.deepEqual(await Promise.all(speeds), ['TURBO', 'DEFAULT', 'QUALITY', 'FLASH', undefined])
  })

  test('3 redraws the area that is black in a mask, or the whole image', async () => {
    const masked = await sent(ideogram, call({ images: [FOX], mask: MASK }), target('ideogram-v3'))
    assert.equal(masked.url, `${BASE}/v1/ideogram-v3/edit`)
    assert.deepEqual(Object.keys(masked.body), ['num_images', 'prompt', 'image', 'mask'])
    assert.match(masked.notes[0]!, /became black/)
    const remixed = await sent(ideogram, call({ images: [FOX], extra: { image_weight: 40 } }), target('ideogram-v3'))
    assert.deepEqual([remixed.url, remixed.body.image_weight], [`${BASE}/v1/ideogram-v3/remix`, '40'])
    assert.throws(() => ideogram.encode(call({ images: [FOX, FOX] }), target('ideogram-v3')), /images: .*one image/)
  })

  test('4 takes one of its sizes, and text or JSON', async () => {
    const { url, body } = await sent(ideogram, call({ size: '1536x1024' }), target('ideogram-4.0'))
    assert.equal(url, `${BASE}/v1/ideogram-v4/generate`)
    assert.deepEqual(body, { text_prompt: 'a fox', num_images: 1, resolution: '2496x1664' })
    const { body: planned } = await sent(ideogram, call({ extra: { json_prompt: { a: 1 } } }), target('ideogram-v4'))
    assert.deepEqual(planned, { json_prompt: { a: 1 }, num_images: 1 })
    assert.throws(() => ideogram.encode(call({ images: [FOX] }), target('ideogram-v4')), {
      code: 'unsupported_endpoint',
    })
    assert.throws(() => ideogram.encode(call(), target('ideogram-v9')), { code: 'model_not_found' })
  })
})
