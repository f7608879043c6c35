import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bfl } from './bfl.ts'
import { answer, call, FOX, FOX_AT, FOX_BASE64, MASK, sent } from './fixtures/image-calls.ts'

const BASE = 'https://api.bfl.ai/v1'
const target = (model: string) => ({ baseUrl: BASE, model })

describe('Black Forest Labs', () => {
  test('takes pixels in steps, or a shape, as the model wants', async () => {
    const bodyOf = async (model: string, size: string) => (await sent(bfl, call({ size }), target(model))).body
    assert.deepEqual(await bodyOf('flux-2-pro', '1000x760'), { prompt: 'a fox', width: 1008, height: 768 })
    assert.deepEqual(await bodyOf('flux-pro-1.1', '1000x760'), { prompt: 'a fox', width: 992, height: 768 })
    assert.deepEqual(await bodyOf('flux-pro-1.1-ultra', '1536x1024'), { prompt: 'a fox', aspect_ratio: '3:2' })
    assert.deepEqual(await bodyOf('flux-kontext-max', '1024x1024'), { prompt: 'a fox', aspect_ratio: '1:1' })
    const { url, notes } = await sent(bfl, call({ size: '1000x1024' }), target('flux-2-pro'))
    assert.equal(url, `${BASE}/flux-2-pro`)
    assert.deepEqual(notes, ['size translated: Black Forest Labs needs sides in steps of 16 pixels: 1008x1024'])
  })

  test('takes several images under numbered names, by bytes or by address', async () => {
    const { body } = await sent(bfl, call({ images: [FOX, FOX_AT], extra: { seed: 3 } }), target('flux-2-max'))
    const images = { input_image: FOX_BASE64, input_image_2: 'https://example.com/fox.png' }
    assert.deepEqual(body, { prompt: 'a fox', seed: 3, ...images })
    const { body: prompted } = await sent(bfl, call({ images: [FOX] }), target('flux-pro-1.1'))
    assert.deepEqual(prompted, { prompt: 'a fox', image_prompt: FOX_BASE64 })
  })

  test('fills the masked area, and only with the model that can', async () => {
    const { body } = await sent(bfl, call({ images: [FOX], mask: MASK, size: '64x64' }), target('flux-pro-1.0-fill'))
    assert.deepEqual(Object.keys(body), ['prompt', 'image', 'mask'])
    const refused = (input: ReturnType<typeof call>, model: string, expected: object | RegExp) =>
      assert.throws(() => bfl.encode(input, target(model)), expected)
    refused(call({ images: [FOX], mask: MASK }), 'flux-2-pro', /mask: Black Forest Labs does not accept a mask/)
    refused(call({ images: [FOX], mask: FOX_AT }), 'flux-pro-1.0-fill', /mask: .*data URL/)
    refused(call(), 'flux-pro-1.0-expand', { code: 'unsupported_endpoint' })
    refused(call({ images: [FOX, FOX] }), 'flux-dev', /images: Black Forest Labs accepts one image/)
  })

  test('polls the URL of the ticket until it is ready', () => {
    const where = target('flux-2-pro')
    const ticket = { id: 't', polling_url: 'https://api.eu2.bfl.ai/v1/get_result?id=t' }
    const first = bfl.decode(answer(ticket), call(), where)
    assert.ok(!first.done)
    assert.deepEqual(first.poll, {
      method: 'GET',
      url: ticket.polling_url,
      headers: { accept: 'application/json' },
      body: null,
    })
    const again = bfl.decode(answer({ id: 't', status: 'Pending' }), call(), where, first.poll)
    assert.ok(!again.done)
    assert.equal(again.poll.url, ticket.polling_url)
    const ready = { id: 't', status: 'Ready', result: { sample: 'https://delivery.bfl.ai/a.png' } }
    const last = bfl.decode(answer(ready), call(), where, again.poll)
    assert.ok(last.done)
    assert.deepEqual(last.reply.data, [{ url: 'https://delivery.bfl.ai/a.png' }])
  })

  test('has no family once the operator has moved its address', () => {
    const moved = { baseUrl: 'http://127.0.0.1:9/v1', model: 'flux-2-pro' }
    const poll = (polling_url: string) => bfl.decode(answer({ id: 't', polling_url }), call(), moved)
    assert.equal(poll('http://127.0.0.1:9/v1/get_result?id=t').done, false)
    for (const url of ['https://api.bfl.ai/v1/get_result?id=t', 'http://127.0.0.1:10/v1/get_result?id=t'])
      assert.throws(() => poll(url), { kind: 'garbage' })
  })
})
