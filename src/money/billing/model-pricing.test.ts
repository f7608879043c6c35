import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadCatalog } from '../../platform/catalog/catalog.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { pricingOf } from './model-pricing.ts'

const catalog = loadCatalog(loadConfig({}).providers)

test('tokens of text and of images have prices of their own', () => {
  const price = { input: 5, output: 10, cacheRead: 1.25, imageInput: 8, imageOutput: 30 }
  assert.deepEqual(pricingOf({ price }), {
    input_cost_per_token: 0.000_005,
    output_cost_per_token: 0.000_01,
    cache_read_input_token_cost: 0.000_001_25,
    input_cost_per_image_token: 0.000_008,
    output_cost_per_image_token: 0.000_03,
  })
})

test('an image has one price, or one for each size and quality; an area and a request have theirs', () => {
  assert.deepEqual(pricingOf({ price: null, perImage: [{ usd: 0.04 }] }), { output_cost_per_image: 0.04 })
  const perImage = [{ usd: 0.04, size: '1024x1024', quality: 'standard' }, { usd: 0.08 }]
  assert.deepEqual(pricingOf({ price: null, perImage }), {
    image_pricing: [
      { max_size: '1024x1024', quality: 'standard', output_cost_per_image: 0.04 },
      { output_cost_per_image: 0.08 },
    ],
  })
  const per = { megapixel: 0.03, request: 0.01 }
  assert.deepEqual(pricingOf({ price: null, per }), { cost_per_megapixel: 0.03, cost_per_request: 0.01 })
  assert.equal(pricingOf({ price: null }), null)
})

test('every image model whose price the catalog knows shows one', () => {
  const images = catalog
    .list()
    .filter(({ type, price, perImage, per }) => type === 'image' && (price || perImage || per))
  assert.ok(images.length > 50)
  for (const model of images)
    assert.match(Object.keys(pricingOf(model)!).join(), /image|_megapixel|_request|_per_token/, model.id)
})
