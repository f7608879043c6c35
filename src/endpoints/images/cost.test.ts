import assert from 'node:assert/strict'
import { test } from 'node:test'
import { png } from '../../base/sniff/fixtures/small-files.ts'
import type { Model } from '../../platform/catalog/catalog.ts'
import type { ImageCall, ImageReply } from '../../translation/dialects/image-codec.ts'
import { heldBytes } from '../../calls/files/temp-file-writer.ts'
import { costOfImages, usageOf } from './cost.ts'
import type { MadeImages } from './made-images.ts'

const PRICE = { input: 5, output: 10, imageInput: 8, imageOutput: 30 }
const REQUEST: ImageCall = {
  mode: 'generate',
  prompt: 'x',
  n: 1,
  size: undefined,
  quality: undefined,
  responseFormat: undefined,
  extra: {},
  images: [],
  mask: undefined,
}
const USAGE = { input_tokens: 1_000_000, output_tokens: 1_000_000, total_tokens: 2_000_000 }

test('the provider’s own word wins, then tokens, then images', () => {
  const perImage = [{ usd: 0.04 }]
  assert.equal(cost({ cost: 0.5, usage: USAGE }, { price: PRICE, perImage }), 0.5)
  for (const odd of [-1, 1e308]) assert.equal(cost({ cost: odd, usage: USAGE }, { price: PRICE, perImage }), null)
  assert.equal(cost({ usage: USAGE }, { price: PRICE, perImage }), 35)
  assert.equal(cost({}, { price: PRICE, perImage }), 0.04)
})

test('tokens of text and of images have prices of their own', () => {
  const details = { text_tokens: 250_000, image_tokens: 750_000 }
  assert.equal(cost({ usage: { ...USAGE, input_tokens_details: details } }, { price: PRICE }), 1.25 + 6 + 30)
  assert.equal(cost({ usage: { ...USAGE, output_tokens_details: details } }, { price: PRICE }), 5 + 2.5 + 22.5)
  assert.equal(cost({ usage: USAGE }, { price: PRICE }, { mode: 'edit' }), 8 + 30)
  assert.equal(cost({ usage: USAGE }, { price: { input: 1, output: 2 } }, { mode: 'edit' }), 3)
})

test('what is not known is null and never 0', () => {
  assert.equal(cost({}, undefined), null)
  assert.equal(cost({ usage: USAGE }, {}), null)
  assert.equal(cost({}, { price: PRICE }), null)
  const none = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  assert.equal(cost({ usage: none }, { price: PRICE }), null)
  assert.equal(cost({}, { perImage: [{ usd: 1, quality: 'high' }] }), null)
  assert.equal(cost({}, { perImage: [{ usd: 1, size: '1024x1024' }] }), null)
  assert.equal(cost({}, { per: { megapixel: 1 } }), null)
  assert.equal(cost({}, { price: { input: 0, output: 0 }, perImage: [{ usd: 0 }] }), 0)
})

test('images are priced by size and quality: as drawn, as told, as asked', () => {
  const perImage = [
    { usd: 1, size: '1024x1024', quality: 'low' },
    { usd: 2, size: '1536x1024', quality: 'low' },
    { usd: 3, quality: 'high' },
  ]
  assert.equal(cost({ size: '512x512', quality: 'low' }, { perImage }), 1)
  assert.equal(cost({ size: '1536x1024', quality: 'low' }, { perImage }), 2)
  assert.equal(cost({}, { perImage }, { size: '1024x1024', quality: 'low' }), 1)
  assert.equal(cost({}, { perImage }, { quality: 'high' }), 3)
  const base64 = heldBytes(Buffer.from(png(1500, 900).toString('base64'), 'latin1'))
  assert.equal(cost({ size: '1x1', quality: 'low', images: [{ base64 }] }, { perImage }), 2)
})

test('several images cost several times as much; an area by its pixels; a request once', () => {
  const images = [{ url: 'a' }, { url: 'b' }]
  assert.equal(cost({ images }, { perImage: [{ usd: 0.5 }] }), 1)
  assert.equal(cost({ images, size: '1000x500' }, { per: { megapixel: 0.4 } }), 0.4)
  assert.equal(cost({ images, size: '1000x500' }, { per: { megapixel: 0.4, request: 1 } }), 1.4)
  assert.equal(cost({ images }, { per: { request: 0.25 } }), 0.25)
})

test('the usage of several calls is summed, with its details', () => {
  const details = { text_tokens: 1, image_tokens: 2 }
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, input_tokens_details: details }
  assert.deepEqual(usageOf([made({ usage }), made({ usage }), made({})]), {
    input_tokens: 6,
    output_tokens: 8,
    total_tokens: 14,
    input_tokens_details: { text_tokens: 2, image_tokens: 4 },
  })
  assert.equal(usageOf([made({})]), undefined)
})

type Made = Partial<ImageReply & Pick<MadeImages, 'images'>>

function cost(reply: Made, row: Partial<Model> | undefined, input: Partial<ImageCall> = {}): number | null {
  const entry = row && ({ id: 'x', price: null, ...row } as Model)
  return costOfImages(made(reply), { ...REQUEST, ...input }, entry)
}

function made(reply: Made): MadeImages {
  return { data: [], images: [{ url: 'https://cdn.test/a.png' }], ...reply }
}
