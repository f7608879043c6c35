import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, FOX, FOX_BASE64, MASK, sent } from './fixtures/image-calls.ts'
import { stability } from './stability.ts'

const BASE = 'https://api.stability.ai'
const target = (model: string) => ({ baseUrl: BASE, model })
const FILE = { file: 'fox.jpg', type: 'image/jpeg', base64: FOX_BASE64 }

describe('Stability', () => {
  test('generates from text: always a form, with an aspect ratio for the size', async () => {
    const input = call({ size: '1792x1024', extra: { seed: 5, style_preset: 'anime', model: 'sd3.5-flash' } })
    const { url, headers, body, notes } = await sent(stability, input, target('sd3.5-large'))
    assert.equal(url, `${BASE}/v2beta/stable-image/generate/sd3`)
    assert.match(headers['content-type']!, /^multipart\/form-data; boundary=gatehouse-[0-9a-f]{40}$/)
    assert.equal(headers.accept, 'application/json')
    const expected = { seed: '5', style_preset: 'anime', prompt: 'a fox', model: 'sd3.5-large', aspect_ratio: '16:9' }
    assert.deepEqual(body, expected)
    assert.deepEqual(notes, ['size translated: Stability AI needs an aspect ratio: 16:9'])
  })

  test('knows its models by the names that others gave them', async () => {
    for (const [model, path] of [
      ['ultra', 'generate/ultra'],
      ['stable-image-ultra', 'generate/ultra'],
      ['stable-image-core', 'generate/core'],
    ] as const)
      assert.equal((await sent(stability, call(), target(model))).url, `${BASE}/v2beta/stable-image/${path}`)
    assert.throws(() => stability.encode(call(), target('../../v1')), { code: 'model_not_found' })
    assert.throws(() => stability.encode(call(), target('constructor')), { code: 'model_not_found' })
  })

  test('goes on from an image', async () => {
    const { body, notes } = await sent(stability, call({ images: [FOX], size: '512x512' }), target('sd3.5-medium'))
    const fields = { prompt: 'a fox', model: 'sd3.5-medium', mode: 'image-to-image', strength: '0.7', image: FILE }
    assert.deepEqual(body, fields)
    assert.match(notes.join('; '), /size dropped: .*images translated: no strength was named: 0.7/)
    const reported = await sent(stability, call({ images: [FOX], extra: { strength: 0.2 } }), target('ultra'))
    assert.deepEqual([reported.body.strength, reported.notes], ['0.2', []])
  })

  test('paints with a mask, whose transparency becomes white', async () => {
    const { url, body, notes } = await sent(stability, call({ images: [FOX], mask: MASK }), target('inpaint'))
    assert.equal(url, `${BASE}/v2beta/stable-image/edit/inpaint`)
    assert.deepEqual(Object.keys(body), ['prompt', 'image', 'mask'])
    assert.deepEqual(notes, ['mask translated: Stability AI needs a painted mask: transparent areas became white'])
  })

  test('has operations with their own field names', async () => {
    const relit = await sent(stability, call({ images: [FOX] }), target('replace-background-and-relight'))
    assert.deepEqual(relit.body, { background_prompt: 'a fox', subject_image: FILE })
    const cut = await sent(stability, call({ images: [FOX] }), target('remove-background'))
    assert.deepEqual([cut.body, cut.notes], [{ image: FILE }, ['prompt dropped: this operation needs no prompt']])
    const styled = await sent(stability, call({ images: [FOX, FOX] }), target('style-transfer'))
    assert.deepEqual(Object.keys(styled.body), ['prompt', 'init_image', 'style_image'])
  })

  test('names the unsupported field', () => {
    const refused = (input: ReturnType<typeof call>, model: string, expected: object | RegExp) =>
      assert.throws(() => stability.encode(input, target(model)), expected)
    refused(call({ images: [FOX] }), 'core', { code: 'unsupported_endpoint' })
    refused(call(), 'inpaint', { code: 'unsupported_endpoint' })
    refused(call({ images: [FOX], mask: MASK }), 'ultra', /mask: Stability AI does not accept a mask/)
    refused(call({ images: [FOX, FOX] }), 'ultra', /images: Stability AI accepts one image/)
    refused(call({ images: [FOX] }), 'style-transfer', /images: Stability AI needs an image and a style image/)
    refused(call({ size: 'huge' }), 'core', /size: Stability AI/)
  })
})
