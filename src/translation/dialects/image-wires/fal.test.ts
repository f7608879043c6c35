import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fal } from './fal.ts'
import { answer, call, FOX, FOX_AT, FOX_DATA_URL, MASK, sent } from './fixtures/image-calls.ts'

const BASE = 'https://queue.fal.run'
const target = (model: string) => ({ baseUrl: BASE, model })

describe('fal', () => {
  test('sends pixels, or an aspect ratio if the model needs one', async () => {
    const input = call({ n: 2, size: '1280x720', responseFormat: 'b64_json', extra: { num_images: 9, seed: 4 } })
    const { url, body } = await sent(fal, input, target('fal-ai/flux/schnell'))
    assert.equal(url, `${BASE}/fal-ai/flux/schnell`)
    const image_size = { width: 1280, height: 720 }
    assert.deepEqual(body, { num_images: 2, seed: 4, prompt: 'a fox', image_size, sync_mode: true })
    const { body: shaped } = await sent(fal, call({ size: '1280x720' }), target('fal-ai/flux-pro/v1.1-ultra'))
    assert.deepEqual(shaped, { prompt: 'a fox', num_images: 1, aspect_ratio: '16:9' })
    const { body: named } = await sent(fal, call({ size: '1280x720', extra: { image_size: 'square' } }), target('a/b'))
    assert.equal(named.image_size, 'square')
  })

  test('accepts one image, a list, or an image and a mask', async () => {
    const imagesOf = async (model: string, input: ReturnType<typeof call>) => {
      const { prompt, num_images, ...rest } = (await sent(fal, input, target(model))).body
      return rest
    }
    const one = call({ images: [FOX] })
    assert.deepEqual(await imagesOf('fal-ai/flux-pro/kontext', one), { image_url: FOX_DATA_URL })
    assert.deepEqual(await imagesOf('fal-ai/nano-banana/edit', one), { image_urls: [FOX_DATA_URL] })
    const two = call({ images: [FOX, FOX_AT] })
    assert.deepEqual(await imagesOf('a/b', two), { image_urls: [FOX_DATA_URL, 'https://example.com/fox.png'] })
    const masked = await imagesOf('fal-ai/ideogram/v3/edit', call({ images: [FOX], mask: MASK }))
    assert.deepEqual(Object.keys(masked), ['image_url', 'mask_url'])
  })

  test('is followed from the queue to the result', () => {
    const where = target('fal-ai/flux/schnell')
    const at = `${BASE}/fal-ai/flux/requests/r1`
    const ticket = { status: 'IN_QUEUE', request_id: 'r1', status_url: `${at}/status`, response_url: at }
    const urls = [ticket, { ...ticket, status: 'IN_PROGRESS' }, { ...ticket, status: 'COMPLETED' }].map((body) => {
      const step = fal.decode(answer(body), call(), where)
      return step.done ? undefined : step.poll.url
    })
    assert.deepEqual(urls, [`${at}/status`, `${at}/status`, at])
    const last = fal.decode(answer({ images: [{ url: 'https://v3.fal.media/a.png' }] }), call(), where)
    assert.ok(last.done)
  })
})
