import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, FOX, MASK, sent } from './fixtures/image-calls.ts'
import { recraft } from './recraft.ts'

const BASE = 'https://external.api.recraft.ai/v1'
const target = (model: string) => ({ baseUrl: BASE, model })

describe('Recraft', () => {
  test('draws as OpenAI does, with a style', async () => {
    const input = call({
      n: 2,
      size: '1024x1365',
      responseFormat: 'url',
      extra: { style: 'vector', model: 'x', user: 'u' },
    })
    const { url, body, notes } = await sent(recraft, input, target('recraftv3'))
    assert.equal(url, `${BASE}/images/generations`)
    const expected = { model: 'recraftv3', prompt: 'a fox', n: 2, size: '1024x1365', response_format: 'url' }
    assert.deepEqual(body, { ...expected, style: 'vector' })
    assert.deepEqual(notes, ['user dropped: this provider has no such field'])
  })

  test('changes an image by a form, with a mask or with a strength', async () => {
    const masked = await sent(recraft, call({ images: [FOX], mask: MASK }), target('recraftv3'))
    assert.equal(masked.url, `${BASE}/images/inpaint`)
    assert.deepEqual(Object.keys(masked.body), ['model', 'prompt', 'n', 'image', 'mask'])
    const whole = await sent(recraft, call({ images: [FOX], size: '1024x1024' }), target('recraftv3'))
    assert.deepEqual([whole.url, whole.body.strength], [`${BASE}/images/imageToImage`, '0.5'])
    assert.match(whole.notes.join('; '), /size dropped.*no strength was named: 0.5/)
    const reported = await sent(recraft, call({ images: [FOX], extra: { strength: 0.1 } }), target('recraftv3'))
    assert.equal(reported.body.strength, '0.1')
  })

  test('has tools that need an image and no prompt', async () => {
    const { url, body } = await sent(recraft, call({ images: [FOX] }), target('removeBackground'))
    assert.equal(url, `${BASE}/images/removeBackground`)
    assert.deepEqual(Object.keys(body), ['file'])
    assert.throws(() => recraft.encode(call(), target('vectorize')), { code: 'unsupported_endpoint' })
    assert.throws(() => recraft.encode(call({ images: [FOX], mask: MASK }), target('vectorize')), /mask/)
  })
})
