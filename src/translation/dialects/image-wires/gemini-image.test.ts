import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, FOX, FOX_AT, FOX_BASE64, MASK, sent } from './fixtures/image-calls.ts'
import { geminiImage } from './gemini-image.ts'
import { imagen } from './imagen.ts'
import { IMAGE_WIRES } from './index.ts'

const STUDIO = { baseUrl: 'https://generativelanguage.googleapis.com/v1beta', model: 'gemini-3.1-flash-image' }
const VERTEX = {
  baseUrl: 'https://aiplatform.test/v1/projects/p/locations/l/publishers/google',
  model: 'gemini-3-pro-image',
}
const IMAGEN = { ...VERTEX, model: 'imagen-4.0-generate-001' }

describe('an image of Gemini', () => {
  test('is requested as a turn of a chat, with aspect ratio and scale', async () => {
    const input = call({ size: '2048x1152', extra: { seed: 7, user: 'u', safetySettings: [], odd: 1 } })
    const { url, body, notes } = await sent(geminiImage, input, STUDIO)
    assert.equal(url, `${STUDIO.baseUrl}/models/gemini-3.1-flash-image:generateContent`)
    assert.deepEqual(body, {
      contents: [{ role: 'user', parts: [{ text: 'a fox' }] }],
      safetySettings: [],
      generationConfig: {
        responseModalities: ['IMAGE'],
        seed: 7,
        imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
      },
    })
    assert.deepEqual(
      notes.map((note) => note.split(':')[0]),
      ['user dropped', 'odd dropped', 'size translated'],
    )
  })

  test('has the shapes and scales of its model', async () => {
    const configOf = async (model: string, size: string) => {
      const { body } = await sent(geminiImage, call({ size }), { ...STUDIO, model })
      return (body.generationConfig as { imageConfig: object }).imageConfig
    }
    assert.deepEqual(await configOf('gemini-3.1-flash-image', '400x1600'), { aspectRatio: '1:4', imageSize: '1K' })
    assert.deepEqual(await configOf('gemini-3.1-flash-image-preview', '512x512'), {
      aspectRatio: '1:1',
      imageSize: '512',
    })
    assert.deepEqual(await configOf('gemini-3-pro-image', '512x512'), { aspectRatio: '1:1', imageSize: '1K' })
    assert.deepEqual(await configOf('gemini-2.5-flash-image', '4096x4096'), { aspectRatio: '1:1' })
    assert.deepEqual(await configOf('gemini-3-pro-image', '4K'), { imageSize: '4K' })
    assert.deepEqual(await configOf('gemini-3-pro-image', 'auto'), {})
  })

  test('puts images before the text; a mask is refused', async () => {
    const { body } = await sent(geminiImage, call({ images: [FOX] }), STUDIO)
    const inlineData = { mimeType: 'image/jpeg', data: FOX_BASE64 }
    assert.deepEqual(body.contents, [{ role: 'user', parts: [{ inlineData }, { text: 'a fox' }] }])
    assert.throws(
      () => geminiImage.encode(call({ images: [FOX], mask: MASK }), STUDIO),
      /mask: Google does not accept a mask/,
    )
    assert.throws(
      () => geminiImage.encode(call({ images: [FOX_AT] }), STUDIO),
      /images: Google needs the bytes of images/,
    )
  })

  test('has a format only at Vertex, and keeps the fields of the gateway', async () => {
    const extra = { output_format: 'jpeg', generationConfig: { responseModalities: ['TEXT'], topP: 0.5 } }
    const { body } = await sent(geminiImage, call({ extra }), VERTEX)
    const imageConfig = { imageOutputOptions: { mimeType: 'image/jpeg' } }
    assert.deepEqual(body.generationConfig, { responseModalities: ['IMAGE'], topP: 0.5, imageConfig })
    const { notes } = await sent(geminiImage, call({ extra, quality: 'hd' }), STUDIO)
    assert.deepEqual(
      notes.map((note) => note.split(':')[0]),
      ['quality dropped', 'output_format dropped'],
    )
  })
})

describe('Imagen', () => {
  test('generates several images at once, with its own parameters', async () => {
    const extra = {
      negative_prompt: 'cats',
      output_format: 'jpeg',
      output_compression: 80,
      personGeneration: 'allow_all',
    }
    const { url, body } = await sent(
      imagen,
      call({ n: 3, size: '1024x1792', extra: { ...extra, sampleCount: 9 } }),
      IMAGEN,
    )
    assert.equal(url, `${IMAGEN.baseUrl}/models/imagen-4.0-generate-001:predict`)
    assert.deepEqual(body, {
      instances: [{ prompt: 'a fox' }],
      parameters: {
        sampleCount: 3,
        aspectRatio: '9:16',
        negativePrompt: 'cats',
        outputOptions: { mimeType: 'image/jpeg', compressionQuality: 80 },
        personGeneration: 'allow_all',
      },
    })
  })

  test('takes an image and a painted mask with the one model that can', async () => {
    assert.throws(() => imagen.encode(call({ images: [FOX] }), IMAGEN), { code: 'unsupported_endpoint' })
    const target = { ...IMAGEN, model: 'imagen-3.0-capability-001' }
    const { body, notes } = await sent(imagen, call({ images: [FOX], mask: MASK }), target)
    const [{ referenceImages }] = body.instances as [{ referenceImages: { referenceType: string }[] }]
    assert.deepEqual(
      referenceImages.map(({ referenceType }) => referenceType),
      ['REFERENCE_TYPE_RAW', 'REFERENCE_TYPE_MASK'],
    )
    assert.equal((body.parameters as { editMode: string }).editMode, 'EDIT_MODE_INPAINT_INSERTION')
    assert.match(notes[0]!, /mask translated: .* became white/)
  })

  test('and Gemini share the row of Vertex, one image at a time', async () => {
    const { vertex } = IMAGE_WIRES
    assert.match((await sent(vertex, call(), IMAGEN)).url, /:predict$/)
    assert.match((await sent(vertex, call(), VERTEX)).url, /:generateContent$/)
    assert.equal(vertex.max, 1)
  })
})
