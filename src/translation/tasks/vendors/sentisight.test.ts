import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXAMPLE_PNG } from '../example-files.ts'
import { valueAt } from '../results/loose-fields.ts'
import { failureOfAdapter, linesOf, refusalAnswer, runAdapter } from './fixtures/run-adapter.ts'

// The image of these tests has 16 by 16 pixels.

const FILE = { file: 'https://example.com/a.png' }

test('sentisight: the body of a request is the image, and the model is in the path', async () => {
  const models = {
    'image/background_removal/sentisight': '/pm-predict/Background-removal',
    'image/explicit_content/sentisight': '/pm-predict/NSFW-classification',
    'image/object_detection/sentisight': '/pm-predict/Object-detection',
    'ocr/ocr/sentisight': '/pm-predict/Text-recognition',
  }
  for (const [address, path] of Object.entries(models)) {
    const { requests, units } = await runAdapter(address, FILE)
    assert.deepEqual(linesOf(requests), [`POST ${path}`])
    assert.equal(requests[0]?.headers['content-type'], 'application/octet-stream')
    assert.equal(Buffer.from(requests[0]?.body as Uint8Array).toString('base64'), EXAMPLE_PNG)
    assert.equal(units, 1)
  }
  const { requests } = await runAdapter('ocr/ocr/sentisight', { ...FILE, language: 'de' }, { params: { save: true } })
  assert.deepEqual(linesOf(requests), ['POST /pm-predict/Text-recognition?lang=de&save=true'])
})

test('sentisight: percentages become scores, and pixels fractions of the image', async () => {
  const { output: unsafe } = await runAdapter('image/explicit_content/sentisight', FILE)
  assert.deepEqual(valueAt(unsafe, 'items'), [
    { label: 'unsafe', likelihood: 4, likelihood_score: 0.771, category: 'Safe', subcategory: 'NotSafe' },
  ])
  const { output: things } = await runAdapter('image/object_detection/sentisight', FILE)
  assert.deepEqual(valueAt(things, 'items'), [
    { label: 'Bicycle', confidence: 0.971, x_min: 0.125, x_max: 0.5, y_min: 0.5, y_max: 1 },
  ])
  const { output: text } = await runAdapter('ocr/ocr/sentisight', FILE)
  assert.deepEqual(text, {
    text: 'MIND THE GAP\nPlease',
    bounding_boxes: [
      { text: 'MIND THE GAP', left: 0.125, top: 0.25, width: 0.75, height: 0.125 },
      { text: 'Please', left: 0.125, top: 0.5, width: 0.25, height: 0.125 },
    ],
  })
})

test('sentisight: a cutout is kept, and an empty one is none', async () => {
  const { output, kept } = await runAdapter('image/background_removal/sentisight', FILE)
  assert.equal(valueAt(output, 'image_b64'), EXAMPLE_PNG)
  assert.deepEqual([kept[0]?.name, kept[0]?.type], ['cutout.png', 'image/png'])
  const empty = refusalAnswer(200, [{ image: '' }])
  assert.equal((await failureOfAdapter('image/background_removal/sentisight', FILE, empty)).kind, 'garbage')
})
