import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileOf } from '../http/fixtures/recording.ts'
import { listAt, valueAt } from '../results/loose-fields.ts'
import { EXAMPLE_PNG } from '../example-files.ts'
import { failureOfAdapter, formOf, jsonOf, linesOf, runAdapter, refusalAnswer } from './fixtures/run-adapter.ts'

const FILE = { file: 'https://example.com/a.png' }
const LINK = 'https://gateway.example/files/1'

test('api4ai: a picture goes into a form, whatever the service', async () => {
  const services: [string, string][] = [
    ['image/object_detection/api4ai', '/general-det/v1/results'],
    ['image/logo_detection/api4ai', '/brand-det/v1/results'],
    ['image/face_detection/api4ai', '/face-analyzer/v1/results'],
    ['image/explicit_content/api4ai', '/nsfw/v1/results'],
    ['image/anonymization/api4ai', '/img-anonymization/v1/results'],
    ['image/background_removal/api4ai', '/img-bg-removal/v1/results'],
    ['ocr/ocr/api4ai', '/ocr/v1/results'],
  ]
  for (const [address, path] of services) {
    const { requests, units } = await runAdapter(address, FILE, { params: { api_key: 'mine', mode: 'fg-mask' } })
    assert.deepEqual(linesOf(requests), [`POST ${path}`])
    assert.deepEqual(await formOf(requests), { mode: 'fg-mask', image: 'a.png' })
    assert.equal(units, 1)
  }
})

test('api4ai: a box is a corner, a width and a height', async () => {
  const { output: things } = await runAdapter('image/object_detection/api4ai', FILE)
  assert.deepEqual(valueAt(things, 'items'), [
    { label: 'bicycle', confidence: 0.9712, x_min: 0.12, x_max: 0.41, y_min: 0.5, y_max: 0.9 },
  ])
  const { output: logos } = await runAdapter('image/logo_detection/api4ai', FILE)
  assert.deepEqual(valueAt(logos, 'items', 0, 'bounding_poly', 'vertices'), [
    { x: 0.1, y: 0.2 },
    { x: 0.4, y: 0.2 },
    { x: 0.4, y: 0.6 },
    { x: 0.1, y: 0.6 },
  ])
  const { output: hidden } = await runAdapter('image/anonymization/api4ai', FILE)
  const bounding_boxes = { x_min: 0.25, x_max: 0.75, y_min: 0, y_max: 0.75 }
  assert.deepEqual(valueAt(hidden, 'items'), [{ kind: 'Face', confidence: 0.8477, bounding_boxes }])
  const { output: text } = await runAdapter('ocr/ocr/api4ai', FILE)
  assert.equal(valueAt(text, 'text'), 'MIND THE GAP\nPlease')
  assert.deepEqual(valueAt(text, 'bounding_boxes', 1), {
    text: 'Please',
    left: 0.122,
    top: 0.2,
    width: 0.5,
    height: 0.1,
  })
  const { output: faces } = await runAdapter('image/face_detection/api4ai', FILE)
  assert.deepEqual(valueAt(faces, 'items', 0, 'landmarks', 'nose_tip'), [0.6892, 0.4843])
  assert.deepEqual(
    [valueAt(faces, 'items', 0, 'bounding_box', 'x_max'), valueAt(faces, 'items', 0, 'age')],
    [0.93, null],
  )
})

test('api4ai: that all is well is no finding, and the second version of logos has names only', async () => {
  const { output } = await runAdapter('image/explicit_content/api4ai', FILE)
  assert.deepEqual(valueAt(output, 'items'), [
    { label: 'nsfw', likelihood: 4, likelihood_score: 0.712, category: 'Safe', subcategory: 'NotSafe' },
  ])
  const entities = [{ kind: 'strings', name: 'brands', strings: ['Acme'] }]
  const answer = refusalAnswer(200, { results: [{ status: { code: 'ok' }, entities }] })
  const { requests, output: logos } = await runAdapter('image/logo_detection/api4ai', FILE, { model: 'v2' }, answer)
  assert.deepEqual(linesOf(requests), ['POST /brand-det/v2/results'])
  assert.deepEqual(valueAt(logos, 'items'), [{ bounding_poly: { vertices: null }, description: 'Acme', score: null }])
  const unknown = await failureOfAdapter('image/logo_detection/api4ai', FILE, answer, { model: '../v9' })
  assert.equal(unknown.kind, 'model_not_found')
})

test('api4ai: what goes wrong with a picture comes with status 200', async () => {
  const failure = { status: { code: 'failure', message: 'Can not load image.' }, entities: [] }
  const reported = await failureOfAdapter(
    'image/object_detection/api4ai',
    FILE,
    refusalAnswer(200, { results: [failure] }),
  )
  assert.deepEqual([reported.status, reported.message], [422, 'Can not load image.'])
  const wrongKind = { files: { file: fileOf('a.mp4', 'video/mp4', 'film') } }
  assert.equal((await failureOfAdapter('ocr/ocr/api4ai', FILE, refusalAnswer(200, {}), wrongKind)).status, 415)
  assert.equal((await failureOfAdapter('ocr/ocr/api4ai', FILE, refusalAnswer(401, { message: 'no' }))).kind, 'auth')
  assert.equal(
    (await failureOfAdapter('image/background_removal/api4ai', FILE, refusalAnswer(200, { results: [] }))).kind,
    'garbage',
  )
})

test('backgrounds: the file goes by the name that each provider wants, and the cutout is kept', async () => {
  const rows: [string, string, Record<string, string>][] = [
    ['photoroom', '/v1/segment', { format: 'png', image_file: 'a.png' }],
    ['clipdrop', '/remove-background/v1', { image_file: 'a.png' }],
    ['stabilityai', '/v2beta/stable-image/edit/remove-background', { output_format: 'png', image: 'a.png' }],
  ]
  for (const [provider, path, form] of rows) {
    const { requests, output, kept } = await runAdapter(`image/background_removal/${provider}`, FILE)
    assert.deepEqual([linesOf(requests), await formOf(requests)], [[`POST ${path}`], form])
    assert.deepEqual(output, { image_b64: EXAMPLE_PNG, image_resource_url: LINK })
    assert.deepEqual([kept[0]?.name, kept[0]?.type], ['cutout.png', 'image/png'])
    const words = await failureOfAdapter(
      `image/background_removal/${provider}`,
      FILE,
      refusalAnswer(200, { error: 'x' }),
    )
    assert.equal(words.kind, 'garbage')
    const poor = await failureOfAdapter(
      `image/background_removal/${provider}`,
      FILE,
      refusalAnswer(402, { error: 'No credits' }),
    )
    assert.equal(poor.kind, 'auth')
  }
  const { requests: sentRequests } = await runAdapter('image/background_removal/stabilityai', FILE, {
    params: { output_format: 'webp' },
  })
  assert.equal(sentRequests[0]?.headers.accept, 'image/*')
  const odd = await failureOfAdapter('image/background_removal/photoroom', FILE, refusalAnswer(200, {}), {
    params: { format: 'bmp' },
  })
  assert.equal(odd.kind, 'bad_request')
})

test('picsart: the cutout is fetched from where the answer says, if that is a place of Picsart', async () => {
  const address = 'image/background_removal/picsart'
  const params = { image_url: 'https://example.com/b.png', bg_color: 'red', format: 'webp' }
  const { requests, output, kept, original } = await runAdapter(address, FILE, { params })
  assert.deepEqual(linesOf(requests), ['POST /tools/1.0/removebg', 'GET /download/cutout.png'])
  assert.deepEqual(await formOf(requests), { output_type: 'cutout', bg_color: 'red', format: 'WEBP', image: 'a.png' })
  assert.deepEqual(output, { image_b64: EXAMPLE_PNG, image_resource_url: LINK })
  assert.deepEqual([kept[0]?.name, kept[0]?.type], ['cutout.webp', 'image/webp'])
  assert.equal(valueAt(original, 'status'), 'success')
  const elsewhere = refusalAnswer(200, { status: 'success', data: { url: 'https://files.example/a.png' } })
  assert.equal((await failureOfAdapter(address, FILE, elsewhere)).kind, 'garbage')
  const poor = await failureOfAdapter(address, FILE, refusalAnswer(402, { message: 'Payment required' }))
  assert.equal(poor.kind, 'auth')
})

test('sightengine: both halves of the secret are fields of the form', async () => {
  const rows: [string, string][] = [
    ['image/deepfake_detection/sightengine', 'deepfake'],
    ['image/ai_detection/sightengine', 'genai'],
    ['image/explicit_content/sightengine', 'nudity-2.1,gore-2.0,weapon,recreational_drug,offensive-2.0'],
  ]
  for (const [address, models] of rows) {
    const { requests } = await runAdapter(address, FILE, { params: { models: 'free', api_user: 'me' } })
    assert.deepEqual(linesOf(requests), ['POST /check.json'])
    const secret = { api_user: 'user-of-test', api_secret: 'key-of-test' }
    assert.deepEqual(await formOf(requests), { ...secret, models, media: 'a.png' })
    assert.equal(requests[0]?.headers.authorization, undefined)
  }
  const { output: fake } = await runAdapter('image/deepfake_detection/sightengine', FILE)
  assert.deepEqual(fake, { deepfake_score: 0.0712, prediction: 'original' })
  const { output: made } = await runAdapter('image/ai_detection/sightengine', FILE)
  assert.deepEqual(made, { ai_score: 0.93, prediction: 'ai-generated' })
  const { output: shown, units } = await runAdapter('image/explicit_content/sightengine', FILE)
  assert.equal(units, 5)
  assert.deepEqual([valueAt(shown, 'nsfw_likelihood'), listAt(shown, 'items').length], [4, 13])
  const suggestive = listAt(shown, 'items').find((item) => valueAt(item, 'label') === 'suggestive')
  assert.equal(valueAt(suggestive, 'subcategory'), 'Suggestive')
  const body = { status: 'failure', error: { type: 'usage_limit', code: 32, message: 'Daily usage limit reached' } }
  assert.equal(
    (await failureOfAdapter('image/ai_detection/sightengine', FILE, refusalAnswer(429, body))).message,
    body.error.message,
  )
})

test('winston fetches pictures itself: from where the caller has it, or from us', async () => {
  const first = await runAdapter('image/ai_detection/winstonai', FILE)
  assert.deepEqual([linesOf(first.requests), jsonOf(first.requests)], [['POST /image-detection'], { url: FILE.file }])
  assert.deepEqual(first.output, { ai_score: 0.0295, prediction: 'original' })
  const upload = await runAdapter('image/ai_detection/winstonai', { file: '2c1e5b0e-3f4d-4b59-9a0b-7c8f1d2e3a4b' })
  assert.deepEqual(jsonOf(upload.requests), { url: LINK })
  assert.deepEqual(Buffer.from(upload.kept[0]!.bytes).toString('base64'), EXAMPLE_PNG)
})

test('resemble: pictures are waited for, and scores may be texts', async () => {
  const { requests, output } = await runAdapter('image/deepfake_detection/resemble', FILE)
  assert.deepEqual([linesOf(requests), await formOf(requests)], [['POST /detect'], { file: 'a.png' }])
  assert.equal(requests[0]?.headers.prefer, 'wait')
  assert.deepEqual(output, { deepfake_score: 0.0712, prediction: 'original' })
  const { output: made } = await runAdapter('image/ai_detection/resemble', FILE)
  assert.deepEqual(made, { ai_score: 0.9312, prediction: 'ai-generated' })
  const item = { uuid: 'u-1', status: 'failed', error_message: 'No face found' }
  const failure = await failureOfAdapter('image/deepfake_detection/resemble', FILE, refusalAnswer(200, { item }))
  assert.deepEqual([failure.status, failure.message], [422, 'No face found'])
  const silent = await failureOfAdapter(
    'image/ai_detection/resemble',
    FILE,
    refusalAnswer(200, { item: { uuid: 'u' } }),
  )
  assert.equal(silent.kind, 'garbage')
})

test('base64: two pictures go as data URLs, and pixels become fractions', async () => {
  const params = { url: 'https://a.example', query: 'mine' }
  const { requests, output } = await runAdapter('image/face_compare/base64', { file1: 'a', file2: 'b' }, { params })
  assert.deepEqual(linesOf(requests), ['POST /face'])
  const body = jsonOf(requests) as Record<string, string>
  assert.deepEqual(Object.keys(body).toSorted(), ['document', 'query'])
  assert.match(body.query!, /^data:image\/png;base64,iVBOR/)
  assert.equal(requests[0]?.headers.authorization, 'ApiKey user-of-test:key-of-test')
  const bounding_box = { left: 0.125, top: 0.0625, width: 0.25, height: 0.125 }
  assert.deepEqual(valueAt(output, 'items'), [{ confidence: 0.9, bounding_box }])
  const refusedKey = await failureOfAdapter(
    'image/face_compare/base64',
    {},
    refusalAnswer(401, { message: 'Invalid API key' }),
  )
  assert.equal(refusedKey.kind, 'auth')
})

test('microsoft: faces without names, ages and feelings, places as fractions', async () => {
  const { requests, output } = await runAdapter('image/face_detection/microsoft', FILE, {
    params: { returnFaceId: true },
  })
  assert.match(linesOf(requests)[0]!, /^POST \/face\/v1.0\/detect\?detectionModel=detection_01&.+&returnFaceId=false$/)
  const [face] = listAt(output, 'items')
  assert.deepEqual(valueAt(face, 'bounding_box'), { x_min: 0.0625, x_max: 0.3125, y_min: 0.0625, y_max: 0.1875 })
  assert.deepEqual(valueAt(face, 'landmarks', 'nose_tip'), [0.1875, 0.125])
  const seen = [
    ['accessories', 'sunglasses'],
    ['accessories', 'headwear'],
    ['occlusions', 'eye_occluded'],
    ['poses', 'yaw'],
  ].map((path) => valueAt(face, ...path))
  assert.deepEqual(seen, [1, 0.8, true, -8.4])
})

test('face++: faces are looked for in a set of ours, and the best match comes first', async () => {
  const params = { faceset_token: 'of another', outer_id: 'of another' }
  const { requests, output } = await runAdapter('image/face_recognition/facepp', { collection_id: 'c1' }, { params })
  assert.deepEqual(linesOf(requests), ['POST /search'])
  const { outer_id, faceset_token, return_result_count } = await formOf(requests)
  assert.deepEqual([outer_id, faceset_token, return_result_count], ['c1', undefined, '5'])
  const [best, second] = listAt(output, 'items')
  assert.deepEqual(best, { confidence: 0.9624, face_id: 'c16d0f123d7f8fa96faa7ca06ddc5c99' })
  assert.equal(valueAt(second, 'confidence'), 0.715)
  const noFace = await runAdapter(
    'image/face_recognition/facepp',
    {},
    {},
    refusalAnswer(200, { faces: [], image_id: 'x' }),
  )
  assert.deepEqual(valueAt(noFace.output, 'items'), [])
})

test('face++: pixels become fractions, and only the face that was compared is a match', async () => {
  const { requests, output } = await runAdapter('image/face_compare/facepp', { file1: 'a', file2: 'b' })
  assert.deepEqual(linesOf(requests), ['POST /compare'])
  assert.deepEqual(await formOf(requests), {
    api_key: 'user-of-test',
    api_secret: 'key-of-test',
    image_file1: 'a.png',
    image_file2: 'a.png',
  })
  const bounding_box = { left: 0.125, top: 0.25, width: 0.5, height: 0.5 }
  assert.deepEqual(valueAt(output, 'items'), [{ confidence: 0.6943, bounding_box }])
  const noFace = await runAdapter('image/face_compare/facepp', {}, {}, refusalAnswer(200, { faces1: [], faces2: [] }))
  assert.deepEqual(valueAt(noFace.output, 'items'), [])
  const { output: faces } = await runAdapter('image/face_detection/facepp', FILE)
  const [face] = listAt(faces, 'items')
  assert.deepEqual([valueAt(face, 'age'), valueAt(face, 'gender'), valueAt(face, 'emotions', 'joy')], [34, 'Female', 5])
  assert.deepEqual(valueAt(face, 'bounding_box'), { x_min: 0.125, x_max: 0.625, y_min: 0.25, y_max: 0.75 })
  const body = { error_message: 'CONCURRENCY_LIMIT_EXCEEDED' }
  assert.equal(
    (await failureOfAdapter('image/face_detection/facepp', FILE, refusalAnswer(403, body))).kind,
    'rate_limited',
  )
})

test('face++: without the size of the picture a place is unknown', async () => {
  const files = { file1: fileOf('a.png', 'image/png', 'x'), file2: fileOf('a.png', 'image/png', 'x') }
  const { output } = await runAdapter('image/face_compare/facepp', {}, { files })
  assert.deepEqual(valueAt(output, 'items', 0, 'bounding_box'), { left: null, top: null, width: null, height: null })
})
