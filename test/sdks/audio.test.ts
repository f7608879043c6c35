import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { OpenAI, toFile } from 'openai'
import { failure, status } from '../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'

type OfGateway = { provider?: string; cost?: number | null }

const AUDIO = Buffer.from('RIFF....WAVEfmt a short sound')

describe('speech and transcripts, by the official SDK', () => {
  let gateway: GatewayUnderTest
  let fake: FakeProvider
  let client: OpenAI
  let sandbox: OpenAI
  before(async () => {
    fake = await startFakeProvider({ everyPath: true })
    const assembly = { ASSEMBLY_BASE_URL: fake.url, ASSEMBLY_API_KEY: 'assembly-0123456789' }
    const env = { OPENAI_BASE_URL: fake.url, OPENAI_API_KEY: 'sk-fake-0123456789', ...assembly }
    gateway = await startGateway({ env })
    client = clientWith(API_KEY)
    sandbox = clientWith(await sandboxKey())
  })
  beforeEach(() => fake.reset())
  after(async () => {
    await gateway.close()
    await fake.close()
  })

  const said = { model: 'openai/tts-1', input: 'Grüße!', voice: 'alloy' }

  test('speech: the bytes as they come, with their type and their price', async () => {
    fake.always((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write(AUDIO)
      response.end(AUDIO)
    })
    const reply = await client.audio.speech.create({
      ...said,
      response_format: 'mp3',
      speed: 2,
      other: 1,
    } as typeof said)
    assert.deepEqual(Buffer.from(await reply.arrayBuffer()), Buffer.concat([AUDIO, AUDIO]))
    const headers = ['content-type', 'x-gatehouse-provider', 'x-gatehouse-cost'].map((name) => reply.headers.get(name))
    assert.deepEqual(headers, ['audio/mpeg', 'openai', '0.00009'])
    const { path, body } = fake.requests[0]!
    const { model: _, ...rest } = said
    assert.deepEqual([path, body], ['/v1/audio/speech', { ...rest, model: 'tts-1', response_format: 'mp3', speed: 2 }])
  })

  test('speech that breaks off is not taken for whole, and an error with status 200 is an error', async () => {
    fake.always((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': '1000' })
      response.write(AUDIO, () => response.destroy())
    })
    const reply = await client.audio.speech.create(said)
    await assert.rejects(reply.arrayBuffer())
    fake.always(status(200, { error: { message: 'No.' } }))
    await assert.rejects(client.audio.speech.create(said), OpenAI.InternalServerError)
  })

  test('transcripts: a form goes on as a form, in every format', async () => {
    const file = await toFile(AUDIO, 'call.wav', { type: 'audio/wav' })
    const answer = { text: 'Hello.', usage: { type: 'duration', seconds: 10 } }
    for (const response_format of ['json', 'verbose_json'] as const) {
      fake.next(status(200, answer))
      const request = { model: 'openai/whisper-1', file, response_format, language: 'en', temperature: 0.5 }
      const reply = await client.audio.transcriptions.create(request)
      assert.deepEqual({ ...reply }, { ...answer, cost: 0.001, provider: 'openai' } satisfies OfGateway & object)
      const { text } = fake.requests.at(-1)!
      for (const part of [
        'name="file"; filename="call.wav"',
        'audio/wav',
        AUDIO.toString(),
        'whisper-1',
        response_format,
      ])
        assert.ok(text.includes(part), part)
      assert.ok(!text.includes('openai/whisper-1'))
    }
    for (const response_format of ['text', 'srt', 'vtt'] as const) {
      fake.next(status(200, 'Hello.\n', { 'content-type': 'text/plain; charset=utf-8' }))
      const reply = await client.audio.transcriptions.create({ model: 'openai/whisper-1', file, response_format })
      assert.equal(reply as unknown, 'Hello.\n')
    }
    fake.next(status(200, { text: 'Hi.', words: [] }))
    const granular = {
      response_format: 'verbose_json' as const,
      timestamp_granularities: ['word' as const, 'segment' as const],
    }
    await client.audio.transcriptions.create({ model: 'openai/whisper-1', file, ...granular })
    assert.equal(fake.requests.at(-1)!.text.match(/name="timestamp_granularities\[\]"/g)?.length, 2)
  })

  test('tokens of sound are paid as such', async () => {
    const input_token_details = { audio_tokens: 1_000_000, text_tokens: 0 }
    const usage = {
      type: 'tokens',
      input_tokens: 1_000_000,
      output_tokens: 0,
      total_tokens: 1_000_000,
      input_token_details,
    }
    fake.always(status(200, { text: 'Hi.', usage }))
    const file = await toFile(AUDIO, 'call.wav')
    const reply = await client.audio.transcriptions.create({ model: 'openai/gpt-4o-transcribe', file })
    assert.equal((reply as OfGateway).cost, 2.5)
  })

  test('a recording may be an upload of the same owner, and is exactly one thing', async () => {
    const form = new FormData()
    form.append('file', new Blob([AUDIO], { type: 'audio/wav' }), 'call.wav')
    const uploaded = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers: bearer(), body: form })
    const { file_id } = (await uploaded.json()) as { file_id: string }
    fake.always(status(200, { text: 'Hello.' }))
    const reply = await transcribe({ model: 'openai/whisper-1', file_id })
    assert.deepEqual([reply.status, ((await reply.json()) as { text: string }).text], [200, 'Hello.'])
    assert.ok(fake.requests[0]!.text.includes(AUDIO.toString()))
    const wrong = [{}, { file_id, file_url: 'https://example.com/a.wav' }]
    for (const named of wrong) assert.equal((await transcribe({ model: 'openai/whisper-1', ...named })).status, 422)
    const unknown = '00000000-0000-4000-8000-000000000000'
    assert.equal((await transcribe({ model: 'openai/whisper-1', file_id: unknown })).status, 404)
    const other = await transcribe({ model: 'openai/gpt-4o', file_id })
    assert.deepEqual(
      [other.status, ((await other.json()) as { error: { code: string } }).error.code],
      [400, 'unsupported_endpoint'],
    )
  })

  test('translations to English: the form goes on, and the length is known in every format', async () => {
    const file = await toFile(AUDIO, 'call.wav', { type: 'audio/wav' })
    const segments = [{ id: 0, start: 0, end: 10, text: 'Hello.' }]
    fake.always(status(200, { task: 'translate', language: 'german', duration: 10, text: 'Hello.', segments }))
    const asked = { model: 'openai/whisper-1', file, prompt: 'Names', temperature: 0.5 }
    const plain = await client.audio.translations.create(asked)
    assert.deepEqual({ ...plain }, { text: 'Hello.', cost: 0.001, provider: 'openai' })
    const verbose = (await client.audio.translations.create({
      ...asked,
      response_format: 'verbose_json',
    })) as OpenAI.Audio.TranslationVerbose
    assert.deepEqual([verbose.duration, verbose.segments?.length], [10, 1])
    assert.equal((await client.audio.translations.create({ ...asked, response_format: 'text' })) as unknown, 'Hello.\n')
    const captions = await client.audio.translations.create({ ...asked, response_format: 'srt' })
    assert.match(String(captions), /00:00:00,000 --> 00:00:10,000\nHello\./)
    for (const { path, text } of fake.requests) {
      assert.equal(path, '/v1/audio/translations')
      for (const part of ['filename="call.wav"', AUDIO.toString(), 'verbose_json', 'Names'])
        assert.ok(text.includes(part))
    }
    const simulated = await sandbox.audio.translations.create(asked)
    assert.match(simulated.text, /A recording of/)
  })

  test('a model that does not translate is refused with models that do; an unknown one is asked', async () => {
    const file = await toFile(AUDIO, 'call.wav')
    for (const model of ['openai/gpt-4o-transcribe', 'assembly/universal', 'openai/gpt-4o'])
      await assert.rejects(client.audio.translations.create({ model, file }), (error) => {
        assert.ok(error instanceof OpenAI.BadRequestError, String(error))
        assert.match(
          error.message,
          model === 'openai/gpt-4o' ? /supports: \/chat/ : /These models do: .*openai\/whisper-1/,
        )
        return true
      })
    const wrong = { model: 'openai/whisper-1', file, response_format: 'diarized_json' as never }
    await assert.rejects(client.audio.translations.create(wrong), OpenAI.UnprocessableEntityError)
    assert.equal(fake.requests.length, 0)
    fake.always(status(200, { text: 'Hi.' }))
    const reply = await client.audio.translations.create({ model: 'openai/whisper-9', file })
    assert.deepEqual({ ...reply }, { text: 'Hi.', cost: null, provider: 'openai' })
  })

  test('a transcription that times out is aborted before another model is tried, and when none is left', async () => {
    fake.always((seen, response) => {
      const { method, path } = seen
      if (path.endsWith('/audio/transcriptions')) return status(200, { text: 'Hello.' })(seen, response)
      if (method === 'GET') return failure(503)(seen, response)
      return status(200, { upload_url: 'https://example.com/u', id: 't1', status: 'queued' })(seen, response)
    })
    const file = await toFile(AUDIO, 'call.wav', { type: 'audio/wav' })
    const request = { model: 'assembly/universal', file }
    const reply = await client.audio.transcriptions.create({
      ...request,
      fallbacks: ['openai/whisper-1'],
    } as typeof request)
    assert.equal((reply as OfGateway).provider, 'openai')
    const ended = 'DELETE /v1/transcript/t1'
    assert.deepEqual(linesSeen().slice(-2), [ended, 'POST /v1/audio/transcriptions'])
    await assert.rejects(client.audio.transcriptions.create(request), OpenAI.InternalServerError)
    assert.equal(linesSeen().at(-1), ended)
    assert.equal(linesSeen().filter((line) => line === ended).length, 2)
  })

  test('forms that are not in order are refused', async () => {
    const forms: [string, string | Blob][][] = [
      [['model', 'openai/whisper-1']],
      [['file', new Blob([AUDIO])]],
      [
        ['model', 'openai/whisper-1'],
        ['file', new Blob([AUDIO])],
        ['response_format', 'poem'],
      ],
      [
        ['model', 'openai/whisper-1'],
        ['model', 'openai/whisper-1'],
        ['file', new Blob([AUDIO])],
      ],
      [
        ['model', 'openai/whisper-1'],
        ['file', new Blob([AUDIO])],
        ['temperature', 'warm'],
      ],
    ]
    for (const fields of forms) {
      const body = new FormData()
      for (const [name, value] of fields) body.append(name, value as Blob)
      const reply = await fetch(`${gateway.url}/v3/audio/transcriptions`, { method: 'POST', headers: bearer(), body })
      assert.equal(reply.status, 422, JSON.stringify(fields.map(([name]) => name)))
    }
    assert.equal(fake.requests.length, 0)
  })

  test('the sandbox speaks and listens, and reaches no provider', async () => {
    const speech = await sandbox.audio.speech.create(said)
    assert.equal(speech.headers.get('content-type'), 'audio/wav')
    assert.equal(Buffer.from(await speech.arrayBuffer()).toString('latin1', 0, 4), 'RIFF')
    const file = await toFile(AUDIO, 'call.wav')
    const transcription = await sandbox.audio.transcriptions.create({ model: 'openai/whisper-1', file })
    assert.deepEqual(
      [transcription.text, (transcription as OfGateway).cost],
      [`A recording of ${AUDIO.length} bytes.`, 0],
    )
    for (const [response_format, begins] of [
      ['text', 'A rec'],
      ['srt', '1\n00:'],
      ['vtt', 'WEBVTT'],
    ] as const) {
      const reply = await sandbox.audio.transcriptions.create({ model: 'openai/whisper-1', file, response_format })
      assert.ok(String(reply).startsWith(begins))
    }
    assert.equal(fake.requests.length, 0)
  })

  function linesSeen(): string[] {
    return fake.requests.map(({ method, path }) => `${method} ${path}`)
  }

  function transcribe(body: object): Promise<Response> {
    const headers = { ...bearer(), 'content-type': 'application/json' }
    return fetch(`${gateway.url}/v3/audio/transcriptions`, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  function bearer() {
    return { authorization: `Bearer ${API_KEY}` }
  }

  function clientWith(apiKey: string): OpenAI {
    return new OpenAI({ apiKey, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
  }

  async function sandboxKey(): Promise<string> {
    const body = JSON.stringify({ name: 'sandbox', kind: 'sandbox' })
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
    const reply = await fetch(`${gateway.adminUrl}/admin/keys`, { method: 'POST', headers, body })
    return ((await reply.json()) as { key: string }).key
  }
})
