import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, FOX, FOX_BASE64, MASK, sent } from './fixtures/image-calls.ts'
import { IMAGE_WIRES } from './index.ts'

const BASE = 'https://bedrock-runtime.us-east-1.amazonaws.com'
const target = (model: string) => ({ baseUrl: BASE, model })
const NOVA = target('amazon.nova-canvas-v1:0')
const { bedrock } = IMAGE_WIRES

describe('Nova Canvas', () => {
  test('generates from text, with a configuration', async () => {
    const extra = {
      seed: 9,
      cfg_scale: 7,
      negative_prompt: 'cats',
      user: 'u',
      odd: 1,
      imageGenerationConfig: { numberOfImages: 5 },
    }
    const { url, body, notes } = await sent(bedrock, call({ n: 2, size: '1000x700', quality: 'hd', extra }), NOVA)
    assert.equal(url, `${BASE}/model/amazon.nova-canvas-v1%3A0/invoke`)
    assert.deepEqual(body, {
      taskType: 'TEXT_IMAGE',
      textToImageParams: { text: 'a fox', negativeText: 'cats' },
      imageGenerationConfig: { numberOfImages: 2, quality: 'premium', width: 1008, height: 704, seed: 9, cfgScale: 7 },
    })
    assert.deepEqual(
      notes.map((note) => note.split(':')[0]),
      ['user dropped', 'quality translated', 'size translated', 'odd dropped'],
    )
  })

  test('varies images, and redraws the area that is black in a mask', async () => {
    const varied = await sent(bedrock, call({ images: [FOX, FOX], extra: { similarity_strength: 0.8 } }), NOVA)
    assert.equal(varied.body.taskType, 'IMAGE_VARIATION')
    const params = { images: [FOX_BASE64, FOX_BASE64], text: 'a fox', similarityStrength: 0.8 }
    assert.deepEqual(varied.body.imageVariationParams, params)
    const masked = await sent(bedrock, call({ images: [FOX], mask: MASK }), target('amazon.titan-image-generator-v2:0'))
    assert.equal(masked.body.taskType, 'INPAINTING')
    assert.deepEqual(Object.keys(masked.body.inPaintingParams as object), ['image', 'maskImage', 'text'])
    assert.match(masked.notes[0]!, /became black/)
    const worded = await sent(bedrock, call({ images: [FOX], extra: { mask_prompt: 'the sky' } }), NOVA)
    assert.deepEqual(worded.body.inPaintingParams, { maskPrompt: 'the sky', image: FOX_BASE64, text: 'a fox' })
  })

  test('does another task where the caller names it', async () => {
    const cut = await sent(bedrock, call({ images: [FOX], extra: { taskType: 'BACKGROUND_REMOVAL' } }), NOVA)
    assert.deepEqual(cut.body, { taskType: 'BACKGROUND_REMOVAL', backgroundRemovalParams: { image: FOX_BASE64 } })
    const extra = { task_type: 'OUTPAINTING', outpainting_mode: 'PRECISE' }
    const wider = await sent(bedrock, call({ images: [FOX], mask: MASK, extra }), NOVA)
    const { outPaintingMode } = wider.body.outPaintingParams as { outPaintingMode: string }
    assert.equal(outPaintingMode, 'PRECISE')
  })
})

describe('Stability on Bedrock', () => {
  const SD = target('us.stability.sd3-5-large-v1:0')

  test('takes its own fields as JSON', async () => {
    const { body } = await sent(bedrock, call({ size: '1024x1024', extra: { output_format: 'png', seed: 1 } }), SD)
    const expected = { prompt: 'a fox', mode: 'text-to-image', aspect_ratio: '1:1', output_format: 'png', seed: 1 }
    assert.deepEqual(body, expected)
    const changed = await sent(bedrock, call({ images: [FOX], size: '64x64', extra: { strength: 0.4 } }), SD)
    const mode = 'image-to-image'
    assert.deepEqual(changed.body, { prompt: 'a fox', mode, image: FOX_BASE64, strength: 0.4 })
    const masked = await sent(
      bedrock,
      call({ images: [FOX], mask: MASK }),
      target('stability.stable-image-inpaint-v1:0'),
    )
    assert.deepEqual(Object.keys(masked.body), ['prompt', 'image', 'mask'])
  })

  test('refuses unsupported input', () => {
    const core = target('stability.stable-image-core-v1:1')
    assert.throws(() => bedrock.encode(call({ images: [FOX] }), core), { code: 'unsupported_endpoint' })
    assert.throws(
      () => bedrock.encode(call({ images: [FOX], mask: MASK }), SD),
      /mask: Stability AI does not accept a mask/,
    )
  })
})
