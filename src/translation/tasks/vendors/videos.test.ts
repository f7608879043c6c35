import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileOf, recordingOf, taskOf, toolsAnswering } from '../http/fixtures/recording.ts'
import { valueAt } from '../results/loose-fields.ts'
import { EXAMPLE_MP4 } from '../example-files.ts'
import { failureOfAdapter, formOf, jsonOf, linesOf, runAdapter, refusalAnswer } from './fixtures/run-adapter.ts'

const INPUT = { text: 'Waves', duration: 6, dimension: '1920x1080', seed: 7 }
const IMAGE = { files: { file: fileOf('a.png', 'image/png', 'image') } }
const DATA_URL = `data:image/png;base64,${Buffer.from('image').toString('base64')}`
const KEPT = { video: '', video_resource_url: 'https://gateway.example/files/1' }

type Answers = { answers: { json?: unknown }[] }

test('minimax: a film is ordered, asked for, looked up and fetched; it is sold by the piece', async () => {
  const { requests, output, kept, units } = await runAdapter('video/generation_async/minimax', INPUT, IMAGE)
  assert.deepEqual(linesOf(requests), [
    'POST /video_generation',
    'GET /query/video_generation?task_id=106916112212032',
    'GET /query/video_generation?task_id=106916112212032',
    'GET /files/retrieve?file_id=176844028768320',
    'GET /download/output_aigc.mp4',
  ])
  const model = 'MiniMax-Hailuo-02'
  assert.deepEqual(jsonOf(requests), {
    duration: 6,
    resolution: '1080P',
    model,
    prompt: 'Waves',
    first_frame_image: DATA_URL,
  })
  assert.deepEqual([output, units], [KEPT, 1])
  assert.equal(Buffer.from(kept[0]!.bytes).toString('base64'), EXAMPLE_MP4)
})

test('minimax: only the lengths that a model allows are ordered, and what costs more than the price is an estimate', async () => {
  const rows: [model: string | null, seconds: number | null, dimension: string, ordered: number, estimated?: true][] = [
    [null, null, '1280x720', 6],
    [null, 5, '1280x720', 6],
    [null, 7, '1280x720', 10, true],
    [null, 60, '1280x720', 10, true],
    [null, 10, '1920x1080', 6, true],
    ['MiniMax-Hailuo-2.3', 8, '1280x720', 10, true],
    ['S2V-01', 10, '1280x720', 6],
    ['MiniMax-H4', 9, '1280x720', 9, true],
  ]
  for (const [model, duration, dimension, ordered, estimated] of rows) {
    const input = { ...INPUT, duration, dimension }
    const made = await runAdapter('video/generation_async/minimax', input, { files: {}, model })
    assert.deepEqual([valueAt(jsonOf(made.requests), 'duration'), made.estimated], [ordered, estimated], String(model))
  }
})

test('bytedance: the default model belongs to the host', async () => {
  const { default: adapter } = await import('../video/generation_async/bytedance.ts')
  for (const [host, name] of [
    ['https://ark.cn-beijing.volces.com/api/v3', 'doubao-seedance-1-5-pro-251215'],
    ['https://ark.ap-southeast.bytepluses.com/api/v3', 'seedance-1-5-pro-251215'],
  ]) {
    const { tools, requests } = toolsAnswering(recordingOf('video/generation_async/bytedance'))
    await adapter.start(taskOf({ text: 'Waves' }), { ...tools, address: () => host! })
    assert.equal(valueAt(jsonOf(requests), 'model'), name)
  }
})

test('minimax: what goes wrong comes with status 200', async () => {
  const codes: [number, string][] = [
    [1002, 'rate_limited'],
    [1004, 'auth'],
    [1008, 'auth'],
    [1026, 'content_policy'],
    [2013, 'bad_request'],
    [1000, 'server_error'],
  ]
  for (const [status_code, kind] of codes) {
    const answer = refusalAnswer(200, { base_resp: { status_code, status_msg: 'no' } })
    assert.equal((await failureOfAdapter('video/generation_async/minimax', INPUT, answer, { files: {} })).kind, kind)
  }
})

test('bytedance: tokens are what is paid for, and shapes are the nearest that it has', async () => {
  const { requests, output, units } = await runAdapter('video/generation_async/bytedance', INPUT, IMAGE)
  const path = '/contents/generations/tasks/cgt-20300131-wnc8k'
  assert.deepEqual(linesOf(requests), [
    'POST /contents/generations/tasks',
    `GET ${path}`,
    `GET ${path}`,
    'GET /download/film.mp4',
  ])
  assert.deepEqual(jsonOf(requests), {
    duration: 6,
    seed: 7,
    ratio: '16:9',
    resolution: '1080p',
    model: 'seedance-1-5-pro-251215',
    content: [
      { type: 'text', text: 'Waves' },
      { type: 'image_url', image_url: { url: DATA_URL }, role: 'first_frame' },
    ],
  })
  const usage = { completion_tokens: 108900, total_tokens: 108900 }
  assert.deepEqual([output, units], [{ ...KEPT, usage }, 108900])
  const error = { code: 'OutputVideoSensitiveContentDetected', message: 'The film may be sensitive' }
  const answer = refusalAnswer(200, { id: 'cgt-1', status: 'failed', error })
  const failure = await failureOfAdapter('video/generation_async/bytedance', INPUT, answer, { files: {} })
  assert.deepEqual([failure.status, failure.code, failure.message], [422, error.code, error.message])
})

test('a film is fetched from the provider or its stores only, and stores do not see our secret', async () => {
  const recording = recordingOf('video/generation_async/bytedance') as unknown as Answers
  const fetchedFrom = (video_url: string) => {
    const done = { id: 'cgt-1', status: 'succeeded', content: { video_url }, usage: { completion_tokens: 1 } }
    const [first, , last, video] = structuredClone(recording.answers)
    const answers = [first, { ...last, json: done }, video] as never
    return runAdapter('video/generation_async/bytedance', INPUT, { files: {} }, { answers })
  }
  const store = 'https://ark-content.tos-cn-beijing.volces.com/film.mp4?X-Tos-Signature=1'
  const { requests } = await fetchedFrom(store)
  assert.deepEqual([requests[2]?.url, requests[2]?.headers], [store, {}])
  const home = await fetchedFrom('https://api.provider.test/v1/film.mp4')
  assert.match(String(home.requests[2]?.headers.authorization), /^Bearer /)
  for (const address of [
    'http://ark.tos-cn-beijing.volces.com/film.mp4',
    'https://evil.test/film.mp4',
    'https://evilvolces.com/film.mp4',
    'https://volces.com.evil.test/film.mp4',
    'https://a:b@ark.volces.com/film.mp4',
    'https://ark.volces.com:8443/film.mp4',
    'https://169.254.169.254/latest',
    'film.mp4',
  ])
    await assert.rejects(fetchedFrom(address), /URL of another host/, address)
})

test('resemble: a film is judged frame by frame', async () => {
  const files = { file: fileOf('a.mp4', 'video/mp4', 'film') }
  const { requests, output, units } = await runAdapter(
    'video/deepfake_detection_async/resemble',
    { file: 'x' },
    { files },
  )
  const path = '/detect/b3f0c8aa-6b0e-4a0e-9d55-9c1f3c0f9f11'
  assert.deepEqual(linesOf(requests), ['POST /detect', `GET ${path}`, `GET ${path}`])
  assert.deepEqual([await formOf(requests), requests[0]?.headers.prefer], [{ file: 'a.mp4' }, undefined])
  assert.deepEqual([valueAt(output, 'average_score'), valueAt(output, 'prediction'), units], [0.87, 'deepfake', 8])
  assert.deepEqual(valueAt(output, 'details_per_frame'), [
    { position: 0, score: 0.82, prediction: 'deepfake' },
    { position: 1.5, score: 0.4, prediction: 'original' },
  ])
})

test('xai: a film is ordered, asked for and fetched; seconds are what is paid for', async () => {
  const params = { output: { upload_url: 'https://example.com/mine' } }
  const { requests, output, units } = await runAdapter('video/generation_async/xai', INPUT, { ...IMAGE, params })
  const path = '/videos/vid-5b0a7e3c9d41'
  assert.deepEqual(linesOf(requests), [
    'POST /videos/generations',
    `GET ${path}`,
    `GET ${path}`,
    'GET /download/film.mp4',
  ])
  assert.deepEqual(jsonOf(requests), {
    duration: 6,
    aspect_ratio: '16:9',
    resolution: '720p',
    model: 'grok-imagine-video',
    prompt: 'Waves',
    image: { url: DATA_URL },
  })
  assert.deepEqual([output, units], [KEPT, 6])
})

test('xai: a film that failed or was held back is no film', async () => {
  const rows: [answer: object, kind: string, message: RegExp][] = [
    [{ status: 'failed', error: { code: 'internal_error', message: 'It broke' } }, 'context_length', /It broke/],
    [{ status: 'expired' }, 'context_length', /could not/],
    [{ status: 'done', video: { url: '', respect_moderation: false } }, 'content_policy', /content/],
    [{ status: 'done' }, 'garbage', /no video/],
    [{ status: 'done', video: { url: 'https://films.example/a.mp4' } }, 'garbage', /another host/],
  ]
  for (const [answer, kind, message] of rows) {
    const failure = await failureOfAdapter(
      'video/generation_async/xai',
      { ...INPUT, duration: 60 },
      refusalAnswer(200, { request_id: '1', ...answer }),
      { files: {} },
    )
    assert.equal(failure.kind, kind)
    assert.match(failure.message, message)
  }
})

test('pixverse: an image is uploaded first, and every request has an id of its own', async () => {
  const upload = refusalAnswer(200, { ErrCode: 0, ErrMsg: 'success', Resp: { img_id: 42 } })
  const { answers } = recordingOf('video/generation_async/pixverse') as unknown as { answers: (typeof upload)[] }
  const made = await runAdapter(
    'video/generation_async/pixverse',
    INPUT,
    { ...IMAGE, params: { webhook_id: 'mine' } },
    {
      answers: [upload, ...answers],
    },
  )
  assert.deepEqual(linesOf(made.requests), [
    'POST /openapi/v2/image/upload',
    'POST /openapi/v2/video/img/generate',
    'GET /openapi/v2/video/result/343252978602905',
    'GET /openapi/v2/video/result/343252978602905',
    'GET /download/film.mp4',
  ])
  assert.deepEqual(await formOf(made.requests), { image: 'a.png' })
  const order = { duration: 6, quality: '1080p', seed: 7, model: 'v6', prompt: 'Waves', img_id: 42 }
  assert.deepEqual(jsonOf(made.requests, 1), order)
  const ids = made.requests.slice(0, 4).map(({ headers }) => headers['ai-trace-id'])
  assert.equal(new Set(ids).size, 4)
  assert.deepEqual([made.output, made.units], [KEPT, 6])
})

test('pixverse: lengths are those of the model, and shapes the nearest that it has', async () => {
  const rows: [model: string | null, seconds: number | null, dimension: string, ordered: number, shape: string][] = [
    [null, null, '1280x720', 6, '16:9 720p'],
    [null, 60, '500x500', 15, '1:1 540p'],
    ['v5', 6, '720x1280', 8, '9:16 720p'],
    ['v5.5', 9, '1280x720', 10, '16:9 720p'],
    ['v5.6', 9, '2560x1440', 8, '16:9 1080p'],
    ['v3.5', 8, '1440x1080', 5, '4:3 1080p'],
  ]
  for (const [model, duration, dimension, ordered, shape] of rows) {
    const input = { ...INPUT, duration, dimension }
    const { requests } = await runAdapter('video/generation_async/pixverse', input, { files: {}, model })
    const order = jsonOf(requests)
    const sent = `${valueAt(order, 'aspect_ratio')} ${valueAt(order, 'quality')}`
    assert.deepEqual([valueAt(order, 'duration'), sent], [ordered, shape])
  }
  const odd = { ...INPUT, dimension: 'wide' }
  const failure = await failureOfAdapter('video/generation_async/pixverse', odd, refusalAnswer(200, {}), { files: {} })
  assert.deepEqual([failure.status, failure.code], [422, 'unknown_dimension'])
})

test('pixverse: what goes wrong comes with status 200', async () => {
  const codes: [number, string][] = [
    [400_012, 'auth'],
    [400_017, 'bad_request'],
    [500_044, 'rate_limited'],
    [500_063, 'content_policy'],
    [500_090, 'auth'],
    [500_100, 'server_error'],
  ]
  for (const [ErrCode, kind] of codes) {
    const answer = refusalAnswer(200, { ErrCode, ErrMsg: 'no', Resp: null })
    const failure = await failureOfAdapter('video/generation_async/pixverse', INPUT, answer, { files: {} })
    assert.deepEqual([failure.kind, failure.code], [kind, String(ErrCode)])
  }
  for (const [status, kind] of [
    [7, 'content_policy'],
    [8, 'context_length'],
    [1, 'garbage'],
  ]) {
    const answer = refusalAnswer(200, { ErrCode: 0, ErrMsg: 'success', Resp: { video_id: 1, status } })
    const failure = await failureOfAdapter('video/generation_async/pixverse', INPUT, answer, { files: {} })
    assert.equal(failure.kind, kind)
  }
})

test('pruna: an image is uploaded first, the model is in a header, and the address of the video may be a path', async () => {
  const upload = refusalAnswer(200, { id: 'f1', urls: { get: 'https://api.provider.test/v1/files/f1' } })
  const { answers } = recordingOf('video/generation_async/pruna') as unknown as { answers: (typeof upload)[] }
  const [started, , , film] = answers
  const done = refusalAnswer(200, { status: 'succeeded', generation_url: '/v1/predictions/delivery/a/output.mp4' })
  const made = await runAdapter(
    'video/generation_async/pruna',
    INPUT,
    { ...IMAGE, params: { fps: 48, prompt: 'mine' }, model: 'p-video' },
    { answers: [upload, started!, done, film!] },
  )
  assert.deepEqual(linesOf(made.requests), [
    'POST /files',
    'POST /predictions',
    'GET /predictions/status/1zww7deyssrme0csqwr90phzzr',
    'GET /predictions/delivery/a/output.mp4',
  ])
  assert.deepEqual(await formOf(made.requests), { content: 'a.png' })
  assert.equal(made.requests[1]!.headers.model, 'p-video')
  assert.deepEqual(jsonOf(made.requests, 1), {
    input: {
      duration: 6,
      resolution: '1080p',
      aspect_ratio: '16:9',
      seed: 7,
      fps: 48,
      prompt: 'Waves',
      image: 'https://api.provider.test/v1/files/f1',
    },
  })
  assert.deepEqual([made.output, made.units, made.estimated], [KEPT, 12, undefined])
})

test('pruna: a video is sold by the second of 720p; one that is as long as a recording is an estimate', async () => {
  const rows: [
    dimension: string,
    seconds: number | null,
    params: Record<string, unknown>,
    shape: string,
    units: number,
    estimated?: true,
  ][] = [
    ['1280x720', null, {}, '16:9 720p 6', 6],
    ['500x500', 60, {}, '1:1 720p 20', 20],
    ['1080x1920', 5, {}, '9:16 1080p 5', 10],
    ['1440x1080', 4, { draft: true }, '4:3 1080p 4', 2],
    ['1280x720', 4, { draft: true, resolution: '720p', duration: 8 }, '16:9 720p 8', 2],
    ['1280x720', 4, { audio: 'https://api.provider.test/v1/files/f2' }, '16:9 720p 4', 20, true],
  ]
  for (const [dimension, duration, params, shape, units, estimated] of rows) {
    const input = { ...INPUT, duration, dimension }
    const made = await runAdapter('video/generation_async/pruna', input, { files: {}, params })
    const order = valueAt(jsonOf(made.requests), 'input')
    const sent = ['aspect_ratio', 'resolution', 'duration'].map((name) => valueAt(order, name)).join(' ')
    assert.deepEqual([sent, made.units, made.estimated], [shape, units, estimated])
  }
})

test('pruna: a video that failed says why', async () => {
  for (const [error, code, message] of [
    ['Number of samples, -5, must be non-negative.', 'failed', 'Number of samples, -5, must be non-negative.'],
    [{ code: 'MODEL_ERROR', message: 'The model failed.' }, 'MODEL_ERROR', 'The model failed.'],
  ]) {
    const answer = refusalAnswer(200, { id: 'p1', status: 'failed', error })
    const failure = await failureOfAdapter('video/generation_async/pruna', INPUT, answer, { files: {} })
    assert.deepEqual([failure.kind, failure.code, failure.message], ['context_length', code, message])
  }
  const empty = refusalAnswer(200, { id: 'p1', status: 'succeeded' })
  const failure = await failureOfAdapter('video/generation_async/pruna', INPUT, empty, { files: {} })
  assert.equal(failure.kind, 'garbage')
})
