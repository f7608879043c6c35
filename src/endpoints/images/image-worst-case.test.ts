import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageWorstCase, likelyImageBill } from './image-worst-case.ts'

const DOLLAR = 1_000_000_000
const CALL = { mode: 'generate', prompt: 'A door', n: 1, images: [], mask: undefined, extra: {} }

function dollars(fields: object, entry: object): number {
  return imageWorstCase({ ...CALL, ...fields } as never, 0, entry as never).usd! / DOLLAR
}

const EACH = { perImage: [{ usd: 1 }] }

test('images are counted wherever a caller asks for several', () => {
  assert.equal(dollars({ n: 3 }, EACH), 3)
  for (const extra of [
    { num_outputs: 4 },
    { max_images: '4' },
    { sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 4 } },
    { generationConfig: { candidateCount: 4 } },
  ])
    assert.equal(dollars({ n: 2, extra }, EACH), 8, JSON.stringify(extra))
  assert.equal(dollars({ extra: { seed: 12_345, num_inference_steps: 50 } }, EACH), 1)
})

test('a size that only the provider reads may be larger than the one of the contract', () => {
  const entry = { per: { megapixel: 1 } }
  assert.equal(dollars({ size: '1000x2000' }, entry), 2)
  for (const extra of [{ image_size: { width: 4_096, height: 4_096 } }, { width: 4_096 }, { megapixels: '4' }])
    assert.equal(dollars({ size: '1000x2000', extra }, entry), 16, JSON.stringify(extra))
})

test('texts that only the provider reads count as the prompt does', () => {
  const entry = { price: { input: 1_000_000, output: 0 } }
  const more = dollars({ extra: { negative_prompt: 'x'.repeat(5_000) } }, entry) - dollars({}, entry)
  assert.ok(more >= 5_000)
})

test('a likely bill is that of the size and quality that were asked for, or else what was reserved', () => {
  const low = { quality: 'low', size: '1024x1024', usd: 1 }
  const high = { quality: 'high', size: '1024x1024', usd: 5 }
  const likely = (fields: object, entry: object) =>
    likelyImageBill({ ...CALL, ...fields } as never, 0, entry as never).cost
  assert.equal(likely({ n: 2, size: '1024x1024', quality: 'low' }, { perImage: [low, high] }), 2)
  assert.equal(likely({ size: '1024x1024' }, { perImage: [low, high] }), 5)
  assert.equal(likely({ n: 2, extra: { num_outputs: 4 } }, EACH), 8)
  const byTokens = { price: { input: 1, output: 10 }, per: { request: 0.01 } }
  assert.equal(likely({}, byTokens), dollars({}, byTokens))
  assert.equal(likely({}, {}), null)
})
