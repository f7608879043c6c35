import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileOf } from '../http/fixtures/recording.ts'
import { valueAt } from '../results/loose-fields.ts'
import { EXAMPLE_PNG } from '../example-files.ts'
import { failureOfAdapter, jsonOf, linesOf, refusalAnswer, runAdapter } from './fixtures/run-adapter.ts'

const FILE = { file: 'https://example.com/a.png' }
const OK = { code: 10_000, description: 'Ok' }
const IMAGE = { data: { image: { base64: EXAMPLE_PNG } } }

test('clarifai: each task is a public model, and the key stands behind its own word', async () => {
  const models = {
    'image/explicit_content/clarifai': 'moderation-recognition',
    'image/face_detection/clarifai': 'face-detection',
    'image/logo_detection/clarifai': 'logo-detection-v2',
    'image/object_detection/clarifai': 'general-image-detection',
  }
  for (const [address, model] of Object.entries(models)) {
    const more = { params: { model: { output_info: { output_config: { min_value: 0.5 } } }, inputs: [] } }
    const { requests, units } = await runAdapter(address, FILE, more)
    assert.deepEqual(linesOf(requests), [`POST /vision/users/clarifai/apps/main/models/${model}/outputs`])
    assert.deepEqual(jsonOf(requests), { ...more.params, inputs: [IMAGE] })
    assert.equal(requests[0]?.headers.authorization, 'Key user-of-test:key-of-test')
    assert.equal(units, 1)
  }
})

test('clarifai: a box is four distances from the upper left corner, and what is hardly believed is left out', async () => {
  const { output: things } = await runAdapter('image/object_detection/clarifai', FILE)
  assert.deepEqual(valueAt(things, 'items'), [
    { label: 'Bicycle', confidence: 0.9712, x_min: 0.12, x_max: 0.41, y_min: 0.5, y_max: 0.9 },
  ])
  const { output: faces } = await runAdapter('image/face_detection/clarifai', FILE)
  assert.partialDeepStrictEqual(valueAt(faces, 'items') as object, [
    { confidence: 0.9998, bounding_box: { x_min: 0.36, x_max: 0.65, y_min: 0.2, y_max: 0.66 }, age: null },
  ])
  const { output: logos } = await runAdapter('image/logo_detection/clarifai', FILE)
  const vertices = [
    { x: 0.1, y: 0.2 },
    { x: 0.4, y: 0.2 },
    { x: 0.4, y: 0.6 },
    { x: 0.1, y: 0.6 },
  ]
  assert.deepEqual(valueAt(logos, 'items'), [{ bounding_poly: { vertices }, description: 'Acme', score: 0.94 }])
})

test('clarifai: that an image is safe is no finding, and nothing at all is no result', async () => {
  const { output } = await runAdapter('image/explicit_content/clarifai', FILE)
  assert.equal(valueAt(output, 'nsfw_likelihood_score'), 0.7712)
  assert.deepEqual(
    (valueAt(output, 'items') as object[]).map((item) => [valueAt(item, 'label'), valueAt(item, 'category')]),
    [
      ['suggestive', 'Sexual'],
      ['explicit', 'Content'],
      ['drug', 'DrugAndAlcohol'],
      ['gore', 'Violence'],
    ],
  )
  const none = refusalAnswer(200, { outputs: [{ status: OK, data: {} }] })
  assert.equal((await failureOfAdapter('image/explicit_content/clarifai', FILE, none)).kind, 'garbage')
  const { output: empty } = await runAdapter('image/face_detection/clarifai', FILE, {}, none)
  assert.deepEqual(valueAt(empty, 'items'), [])
})

test('clarifai: an image that cannot be read is an error, also with status 200', async () => {
  const status = { code: 30_003, description: 'Image decoding failed' }
  const answer = refusalAnswer(200, { status: { code: 10_010 }, outputs: [{ status, data: {} }] })
  const failure = await failureOfAdapter('image/object_detection/clarifai', FILE, answer)
  assert.deepEqual([failure.status, failure.code, failure.message], [422, '30003', 'Image decoding failed'])
  const film = { files: { file: fileOf('a.mp4', 'video/mp4', 'film') } }
  assert.equal((await failureOfAdapter('image/object_detection/clarifai', FILE, answer, film)).status, 415)
})
