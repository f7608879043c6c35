import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WireRequest } from '../../wire/wire.ts'
import transcribe from '../audio/speech_to_text_async/openai.ts'
import speak from '../audio/tts/openai.ts'
import {
  BASE_URL,
  CREDENTIAL,
  fileOf,
  type Recording,
  recordingOf,
  taskOf,
  toolsAnswering,
} from '../http/fixtures/recording.ts'
import { TaskFailure } from '../http/task-failure.ts'
import { EXAMPLE_PNG } from '../example-files.ts'
import draw from '../image/generation/openai.ts'
import moderate from '../text/moderation/openai.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const PNG = Buffer.from(EXAMPLE_PNG, 'base64')

test('moderation: scores become findings, and the worst sums them up', async () => {
  const { tools, requests } = toolsAnswering(recordingOf('text/moderation/openai'))
  const { output, units } = await moderate.run(taskOf({ text: 'grüße 😀' }), tools)
  assert.deepEqual(bodyOf(requests), { model: 'omni-moderation-latest', input: 'grüße 😀' })
  assert.deepEqual(requests[0]?.headers, { ...JSON_TYPE, authorization: `Bearer ${CREDENTIAL}` })
  assert.equal(requests[0]?.url, `${BASE_URL}/moderations`)
  assert.deepEqual([output.nsfw_likelihood, output.nsfw_likelihood_score, units], [5, 0.8731, 7])
  assert.deepEqual(output.items.slice(0, 2), [
    {
      label: 'harassment',
      likelihood: 5,
      likelihood_score: 0.8731,
      category: 'HateAndExtremism',
      subcategory: 'Harassment',
    },
    {
      label: 'harassment/threatening',
      likelihood: 4,
      likelihood_score: 0.6421,
      category: 'HateAndExtremism',
      subcategory: 'Threatening',
    },
  ])
  assert.deepEqual(
    output.items.find(({ label }) => label === 'illicit/violent'),
    { label: 'illicit/violent', likelihood: 1, likelihood_score: 0, category: 'Other', subcategory: null },
  )
})

test('speech: voice, speed and format travel, and the sound is kept', async () => {
  const { tools, requests, kept } = toolsAnswering(recordingOf('audio/tts/openai'))
  const first = await speak.run(taskOf({ text: 'Hello 😀', voice: null }), tools)
  const input = { text: 'Hello', voice: 'coral', speed: 1.5, audio_format: 'FLAC' }
  await speak.run(taskOf(input, { model: 'tts-1-hd', params: { response_format: 'pcm', stream_format: 'sse' } }), tools)
  assert.deepEqual(
    requests.map(({ body }) => JSON.parse(String(body))),
    [
      { voice: 'alloy', model: 'tts-1', input: 'Hello 😀', response_format: 'mp3' },
      { voice: 'coral', speed: 1.5, model: 'tts-1-hd', input: 'Hello', response_format: 'flac' },
    ],
  )
  assert.deepEqual(
    kept.map(({ name, type }) => [name, type]),
    [
      ['speech.mp3', 'audio/mpeg'],
      ['speech.flac', 'audio/flac'],
    ],
  )
  assert.deepEqual(first.output, { audio_resource_url: 'https://gateway.example/files/1' })
  assert.equal(first.units, 7)
})

test('speech: an unknown format is refused before the provider is asked, and words are no sound', async () => {
  const { tools, requests } = toolsAnswering({ status: 200, headers: JSON_TYPE, json: { error: 'x' } })
  const unknown = await failureOf(speak.run(taskOf({ text: 'x', audio_format: 'midi' }), tools))
  assert.deepEqual([unknown.status, unknown.code, requests.length], [422, 'unsupported_audio_format', 0])
  assert.equal((await failureOf(speak.run(taskOf({ text: 'x' }), tools))).kind, 'garbage')
})

test('transcription: a form with the recording, its hints and a name that tells its kind', async () => {
  const { tools, requests } = toolsAnswering(recordingOf('audio/speech_to_text_async/openai'))
  const audio = new Uint8Array([0, 13, 10, 45, 45, 255])
  const files = { file: fileOf('call "1"\r\nX-Evil: 1', 'audio/mpeg', audio) }
  const input = { file: 'x', language: 'pt-BR', speakers: 2, vocabulary: ['Ada', 'Byron'] }
  const params = { temperature: 0.2, timestamp_granularities: ['word', 'segment'], model: 'other', file: 'none' }
  const { output, units, estimated } = await transcribe.run(taskOf(input, { files, params }), tools)
  const form = await formOf(requests)
  assert.deepEqual(Object.fromEntries([...form].filter(([name]) => name !== 'file')), {
    language: 'pt',
    prompt: 'Ada, Byron',
    temperature: '0.2',
    'timestamp_granularities[]': 'segment',
    model: 'whisper-1',
    response_format: 'verbose_json',
  })
  assert.deepEqual(form.getAll('timestamp_granularities[]'), ['word', 'segment'])
  const file = form.get('file') as File
  assert.equal(file.name, 'call "1"\r\nX-Evil: 1.mp3')
  assert.equal(file.type, 'audio/mpeg')
  assert.deepEqual(new Uint8Array(await file.arrayBuffer()), audio)
  assert.deepEqual([units, estimated], [4, undefined])
  assert.deepEqual(output, {
    text: 'Hello. Hi there.',
    diarization: { total_speakers: 0, entries: [], error_message: null },
  })
})

test('transcription: later models are asked for plain JSON and measured by the file', async () => {
  const { tools, requests } = toolsAnswering({
    status: 200,
    headers: JSON_TYPE,
    json: { text: 'Hi', usage: { type: 'tokens' } },
  })
  const files = { file: fileOf('a.wav', 'audio/x-wav', new Uint8Array(16_001)) }
  const task = taskOf({ file: 'x' }, { files, model: 'gpt-4o-transcribe' })
  const { units, estimated } = await transcribe.run(task, tools)
  const form = await formOf(requests)
  assert.deepEqual([form.get('response_format'), form.get('language'), units, estimated], ['json', null, 2, true])
})

test('pictures: made from words, kept and counted', async () => {
  const { tools, requests, kept } = toolsAnswering({
    status: 200,
    headers: JSON_TYPE,
    json: { data: [{ b64_json: EXAMPLE_PNG }, { b64_json: EXAMPLE_PNG }], output_format: 'webp' },
  })
  const params = { quality: 'low', stream: true, prompt: 'free lunch', size: '1536x1024' }
  const task = taskOf({ text: 'A fox', resolution: '1024x1024', num_images: 2 }, { params })
  const { output, units, estimated } = await draw.run(task, tools)
  assert.equal(requests[0]?.url, `${BASE_URL}/images/generations`)
  const sent = { size: '1536x1024', n: 2, quality: 'low', model: 'gpt-image-2', prompt: 'A fox' }
  assert.deepEqual(bodyOf(requests), sent)
  assert.deepEqual(output.items[1], { image: EXAMPLE_PNG, image_resource_url: 'https://gateway.example/files/2' })
  assert.deepEqual([kept[0]?.name, kept[0]?.type, units, estimated], ['image-1.webp', 'image/webp', 2, true])
  assert.deepEqual(Buffer.from(kept[1]!.bytes), PNG)
})

test('pictures: references and a mask make it an edit', async () => {
  const { tools, requests } = toolsAnswering(recordingOf('image/generation/openai'))
  const files = {
    mask: fileOf('m.png', 'image/png', PNG),
    'reference_images.1': fileOf('b', 'image/webp', 'second'),
    'reference_images.0': fileOf('a.png', 'image/png', 'first'),
  }
  const input = { text: 'A fox', reference_images: ['https://a', 'https://b'], mask: 'https://m' }
  await draw.run(taskOf(input, { files, model: 'gpt-image-1.5' }), tools)
  const form = await formOf(requests)
  assert.equal(requests[0]?.url, `${BASE_URL}/images/edits`)
  assert.deepEqual([form.get('prompt'), form.get('model'), form.get('n')], ['A fox', 'gpt-image-1.5', '1'])
  const images = form.getAll('image[]') as File[]
  assert.deepEqual(await Promise.all(images.map((file) => file.text())), ['first', 'second'])
  assert.deepEqual(
    [...images, form.get('mask') as File].map(({ name }) => name),
    ['a.png', 'b.webp', 'm.png'],
  )
})

test('pictures: a reference that is no file is refused, not passed over', async () => {
  const { tools, requests } = toolsAnswering(recordingOf('image/generation/openai'))
  const files = { 'reference_images.0': fileOf('a.png', 'image/png', 'first') }
  const input = { text: 'A fox', reference_images: ['https://a', { weight: 1 }] }
  assert.equal((await failureOf(draw.run(taskOf(input, { files }), tools))).kind, 'bad_request')
  assert.equal(requests.length, 0)
})

test('a refusal has a kind, a status and when to come again', async () => {
  const rows: [number, string, string][] = [
    [400, '', 'bad_request'],
    [400, 'moderation_blocked', 'content_policy'],
    [400, 'context_length_exceeded', 'context_length'],
    [400, '__proto__', 'bad_request'],
    [401, 'invalid_api_key', 'auth'],
    [403, '', 'auth'],
    [404, 'model_not_found', 'model_not_found'],
    [413, '', 'too_large'],
    [429, '', 'rate_limited'],
    [429, 'insufficient_quota', 'auth'],
    [301, '', 'unexpected_status'],
    [500, '', 'server_error'],
    [503, '', 'overloaded'],
    [504, '', 'timeout'],
  ]
  for (const [status, code, kind] of rows) {
    const json = { error: { message: 'No.', code } }
    const failure = await refusedBy({ status, headers: { 'retry-after': '7' }, json })
    assert.deepEqual([failure.kind, failure.status, failure.retryAfterSeconds], [kind, status, 7], `${status} ${code}`)
  }
})

test('what a provider says is passed on without keys and addresses', async () => {
  const message = `Key ${CREDENTIAL} (or sk-abcdefgh*********wxyz) is no good at https://api.provider.test/v1?k=1, ask api.provider.test`
  const kind = { status: 400, headers: {} }
  for (const json of [{ error: { message } }, { error: message }, { message }, { detail: message }]) {
    const reported = (await refusedBy({ ...kind, json })).message
    assert.equal(reported, 'Key [redacted] (or [redacted]) is no good at [address] ask [address]')
  }
  assert.doesNotMatch((await refusedBy({ ...kind, status: 401, json: { error: { message } } })).message, /Key/)
  assert.equal((await refusedBy({ ...kind, json: '<html>' })).message, 'the provider answered with status 400')
  assert.equal((await refusedBy({ ...kind, json: { error: { message: 'x'.repeat(9_000) } } })).message.length, 2_000)
})

test('an answer that cannot be read is garbage', async () => {
  const scores = (value: unknown) => ({ results: [{ category_scores: { hate: value } }] })
  for (const json of ['<html>', '', 'null', [], {}, { results: [] }, scores('high'), scores(7)]) {
    const failure = await refusedBy({ status: 200, headers: JSON_TYPE, json })
    assert.deepEqual([failure.kind, failure.message.includes('provider')], ['garbage', true])
  }
})

test('the signal and the timeouts of the call go with it', async () => {
  const { tools } = toolsAnswering(recordingOf('text/moderation/openai'))
  const seen: unknown[] = []
  const send: typeof tools.send = (request, options) => {
    seen.push(options.signal, options.timeouts)
    return tools.send(request, options)
  }
  await moderate.run(taskOf({ text: 'x' }), { ...tools, send })
  assert.deepEqual(seen, [tools.signal, tools.timeouts])
})

function bodyOf(requests: WireRequest[]): unknown {
  assert.equal(requests.length, 1)
  return JSON.parse(String(requests[0]?.body))
}

/** Read by the platform, which did not write it. */
async function formOf(requests: WireRequest[]): Promise<FormData> {
  const { headers, body } = requests[0]!
  return await new Response(new Uint8Array(body as Uint8Array), { headers }).formData()
}

async function refusedBy(recording: Recording): Promise<TaskFailure> {
  return await failureOf(moderate.run(taskOf({ text: 'x' }), toolsAnswering(recording).tools))
}

async function failureOf(run: Promise<unknown>): Promise<TaskFailure> {
  const error = await run.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof TaskFailure, String(error))
  return error
}
