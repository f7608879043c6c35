import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, beforeEach, describe, test } from 'node:test'
import { OpenAI, toFile } from 'openai'
import { failure, status } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// Embeddings, speech and transcripts of providers that do not speak OpenAI's format.

type OfGateway = { provider?: string; cost?: number | null }
type Fields = Record<string, unknown>

const AUDIO = Buffer.from('RIFF....WAVEfmt a short sound')
const SAMPLES = Buffer.from([1, 2, 3, 4])
const ENV = {
  ALLOW_NETWORKS: '127.0.0.1/32',
  OPENAI_API_KEY: 'sk-fake-0123456789',
  AZURE_API_KEY: 'azure-0123456789',
  COHERE_API_KEY: 'cohere-0123456789',
  GEMINI_API_KEY: 'gemini-0123456789',
  MINIMAX_API_KEY: 'minimax-0123456789',
  ELEVENLABS_API_KEY: 'eleven-0123456789',
  DEEPGRAM_API_KEY: 'deepgram-0123456789',
  AWS_BEARER_TOKEN_BEDROCK: 'bedrock-0123456789',
}
const ADDRESSES = ['OPENAI', 'AZURE', 'COHERE', 'GEMINI', 'MINIMAX', 'ELEVENLABS', 'DEEPGRAM', 'BEDROCK']

describe('other wires', () => {
  let gateway: GatewayUnderTest
  let fake: FakeProvider
  let client: OpenAI
  before(async () => {
    fake = await startFakeProvider({ everyPath: true })
    const moved = Object.fromEntries(ADDRESSES.map((name) => [`${name}_BASE_URL`, fake.url]))
    gateway = await startGateway({ env: { ...ENV, ...moved } })
    client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
  })
  beforeEach(() => fake.reset())
  after(async () => {
    await gateway.close()
    await fake.close()
  })

  test('embeddings: many texts go in as many requests as the wire wants, and come back in order', async () => {
    fake.always(({ body }, response) => {
      const [text, embedding] = [(body as { inputText: string }).inputText, [Number((body as Fields).inputText), 1]]
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ embedding, inputTextTokenCount: Number(text) === 3 ? 1_000_000 : 0 }))
    })
    const input = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
    const model = 'amazon/amazon.titan-embed-text-v2:0'
    const reply = await client.embeddings.create({ model, input, dimensions: 256 })
    assert.deepEqual(
      reply.data.map(({ index, embedding }) => [index, embedding]),
      input.map((text, index) => [index, [Number(text), 1]]),
    )
    const { cost, provider } = reply as OfGateway
    assert.deepEqual([fake.requests.length, reply.usage.total_tokens, cost, provider], [10, 1_000_000, 0.02, 'amazon'])
    assert.equal(fake.requests[0]!.headers.authorization, 'Bearer bedrock-0123456789')
  })

  test('embeddings: when one part fails, the others are aborted at the provider, and the failure is reported', async () => {
    const whole = Promise.withResolvers<void>()
    const left: Promise<unknown>[] = []
    fake.always(async (seen, response) => {
      if (fake.requests.length === 3) whole.resolve()
      await whole.promise
      if ((seen.body as Fields).inputText === 'bad') return failure(400, { message: 'No such text.' })(seen, response)
      left.push(once(response, 'close'))
    })
    const model = 'amazon/amazon.titan-embed-text-v2:0'
    await assert.rejects(client.embeddings.create({ model, input: ['a', 'b', 'bad'] }), OpenAI.BadRequestError)
    await Promise.all(left)
    assert.equal(left.length, 2)
  })

  test('embeddings: base64 from numbers, tokens refused by name, the words of a provider, another model', async () => {
    const wire = { embeddings: { float: [[0.25, -0.5]] }, meta: { billed_units: { input_tokens: 1_000_000 } } }
    fake.always(status(200, wire))
    const model = 'cohere/embed-v4.0'
    const packed = await client.embeddings.create({ model, input: 'x', encoding_format: 'base64' })
    const numbers = Buffer.from(packed.data[0]!.embedding as unknown as string, 'base64')
    assert.deepEqual([numbers.readFloatLE(0), numbers.readFloatLE(4), (packed as OfGateway).cost], [0.25, -0.5, 0.12])
    await assert.rejects(client.embeddings.create({ model, input: [1, 2] }), (error) => {
      return error instanceof OpenAI.UnprocessableEntityError && error.param === 'input' && /tokens/.test(error.message)
    })
    fake.always(status(400, { message: 'invalid input_type' }))
    await assert.rejects(client.embeddings.create({ model, input: 'x' }), /invalid input_type/)
    fake.always((seen, response) => {
      const isFirst = seen.path.endsWith('/embed')
      return (isFirst ? failure(500) : status(200, { embeddings: [{ values: [1] }] }))(seen, response)
    })
    const request = { model, input: 'x', fallbacks: ['google/gemini-embedding-001'] }
    assert.equal((await client.embeddings.create(request)).model, 'google/gemini-embedding-001')
    assert.equal(fake.requests.at(-1)!.headers['x-goog-api-key'], 'gemini-0123456789')
  })

  const said = { input: 'Grüße!', voice: 'Kore' }

  test('speech: samples become a file, digits become bytes', async () => {
    const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=8000', data: SAMPLES.toString('base64') }
    fake.always(status(200, { candidates: [{ content: { parts: [{ inlineData }] } }] }))
    const model = 'google/gemini-2.5-flash-preview-tts'
    const speech = await client.audio.speech.create({ ...said, model, instructions: 'Say softly' })
    const file = Buffer.from(await speech.arrayBuffer())
    assert.deepEqual([file.toString('latin1', 0, 4), file.readUInt32LE(24), file.subarray(44)], ['RIFF', 8000, SAMPLES])
    assert.equal(speech.headers.get('content-type'), 'audio/wav')
    assert.match(fake.requests[0]!.text, /Say softly: Grüße!.*"voiceName":"Kore"/)
    const bare = await client.audio.speech.create({ ...said, model, response_format: 'pcm' })
    assert.deepEqual(Buffer.from(await bare.arrayBuffer()), SAMPLES)
    fake.always(status(200, { data: { audio: AUDIO.toString('hex') }, base_resp: { status_code: 0 } }))
    const other = await client.audio.speech.create({ ...said, model: 'minimax/speech-02-hd', speed: 2 })
    assert.deepEqual(Buffer.from(await other.arrayBuffer()), AUDIO)
    assert.equal(other.headers.get('x-gatehouse-cost'), '0.0006')
    const { path, body } = fake.requests.at(-1)!
    assert.deepEqual([path, (body as Fields).voice_setting], ['/v1/t2a_v2', { voice_id: 'Kore', speed: 2 }])
    fake.always(status(200, { base_resp: { status_code: 1004, status_msg: 'login fail' } }))
    await assert.rejects(
      client.audio.speech.create({ ...said, model: 'minimax/speech-02-hd' }),
      OpenAI.InternalServerError,
    )
  })

  test('speech: a provider with an adapter for the task uses it', async () => {
    fake.always(status(200, AUDIO.toString(), { 'content-type': 'audio/mpeg' }))
    const speech = await client.audio.speech.create({ ...said, model: 'elevenlabs/eleven_flash_v2_5', voice: 'v1' })
    assert.deepEqual(Buffer.from(await speech.arrayBuffer()), AUDIO)
    const { path, headers } = fake.requests[0]!
    assert.deepEqual(
      [path, headers['xi-api-key']],
      ['/v1/text-to-speech/v1?output_format=mp3_44100_128', ENV.ELEVENLABS_API_KEY],
    )
    assert.equal(speech.headers.get('x-gatehouse-cost'), '0.00054')
    await assert.rejects(
      client.audio.speech.create({ ...said, model: 'elevenlabs/eleven_v3', response_format: 'flac' }),
      (error) => error instanceof OpenAI.UnprocessableEntityError && /mp3, wav/.test(error.message),
    )
  })

  test('speech: tokens are counted at the end of events, which the caller sees only when they were asked for', async () => {
    const pieces = [AUDIO.subarray(0, 7), AUDIO.subarray(7)].map((piece) => {
      return { type: 'speech.audio.delta', audio: piece.toString('base64') }
    })
    const usage = { input_tokens: 0, output_tokens: 1_000_000, total_tokens: 1_000_000 }
    const text = [...pieces, { type: 'speech.audio.done', usage }]
      .map((one) => `data: ${JSON.stringify(one)}\n\n`)
      .join('')
    fake.always(status(200, text, { 'content-type': 'text/event-stream' }))
    const request = { ...said, model: 'openai/gpt-4o-mini-tts' }
    const before = await spent()
    const speech = await client.audio.speech.create(request)
    assert.deepEqual(Buffer.from(await speech.arrayBuffer()), AUDIO)
    assert.equal(speech.headers.get('content-type'), 'audio/mpeg')
    const events = await client.audio.speech.create({ ...request, stream_format: 'sse' })
    assert.equal(await events.text(), text)
    assert.equal(Math.round((await spent()) - before), 24)
    fake.always(status(200, text.slice(0, text.indexOf('data: {"type":"speech.audio.done')), EVENT_STREAM))
    const cut = client.audio.speech.create(request).then((audio) => audio.arrayBuffer())
    await assert.rejects(cut, 'a sound without its end is not whole')
  })

  test('speech: a caller that reads events gets events from every provider', async () => {
    fake.always(status(200, AUDIO.toString(), { 'content-type': 'audio/mpeg' }))
    for (const model of ['elevenlabs/eleven_flash_v2_5', 'openai/tts-1']) {
      const speech = await client.audio.speech.create({ ...said, model, stream_format: 'sse' })
      assert.match(speech.headers.get('content-type')!, /^text\/event-stream/)
      const events = [...(await speech.text()).matchAll(/^data: (.*)$/gm)].map(
        ([, data]) => JSON.parse(data!) as Fields,
      )
      assert.equal(events.at(-1)!.type, 'speech.audio.done')
      const audio = events.slice(0, -1).map((event) => Buffer.from(String(event.audio), 'base64'))
      assert.deepEqual(Buffer.concat(audio), AUDIO)
    }
  })

  test('a field that reaches no provider is named in the header', async () => {
    const dropped = async (path: string, body: object | FormData) => {
      const isForm = body instanceof FormData
      const headers = { authorization: `Bearer ${API_KEY}`, ...(!isForm && { 'content-type': 'application/json' }) }
      const sent = isForm ? body : JSON.stringify(body)
      const response = await fetch(`${gateway.url}/v3/${path}`, { method: 'POST', headers, body: sent })
      await response.arrayBuffer()
      assert.equal(response.status, 200, path)
      return response.headers.get('x-gatehouse-dropped-fields')
    }
    fake.always(status(200, AUDIO.toString(), { 'content-type': 'audio/mpeg' }))
    const spoken = { ...said, model: 'elevenlabs/eleven_flash_v2_5', instructions: 'Softly', pitch: 2 }
    assert.equal(await dropped('audio/speech', spoken), 'instructions, pitch')
    fake.always(status(200, transcription))
    const form = new FormData()
    for (const [name, value] of Object.entries({
      model: 'deepgram/nova-3',
      language: 'en',
      temperature: '0.5',
      diarize: 'yes',
    }))
      form.set(name, value)
    form.set('file', new Blob([new Uint8Array(AUDIO)]), 'a.wav')
    assert.equal(await dropped('audio/transcriptions', form), 'temperature, diarize')
    fake.always(status(200, { object: 'list', data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } }))
    const vectors = { model: 'openai/text-embedding-3-small', input: 'x', organization: 'other' }
    assert.equal(await dropped('embeddings', vectors), 'organization')
    fake.always(status(200, { id: 'm', results: [] }))
    assert.equal(await dropped('moderations', { input: 'x', organization: 'other' }), 'organization')
    fake.always(status(200, { results: [{ index: 0, relevance_score: 1 }] }))
    const ranked = { model: 'cohere/rerank-v3.5', query: 'x', documents: ['y'], organization: 'other' }
    assert.equal(await dropped('rerank', ranked), 'organization')
    const task = { model: 'text/moderation/sandbox', input: { text: 'x' }, temperature: 0, metadata: { a: 'b' } }
    assert.equal(await dropped('universal-ai', task), 'temperature')
  })

  const transcription = {
    metadata: { duration: 61.2 },
    results: {
      channels: [
        { alternatives: [{ transcript: 'Hi. Yes.', words: [word('Hi.', 0, 0.5, 0), word('Yes.', 3, 4, 1)] }] },
      ],
    },
  }

  test('transcripts: a provider with an adapter for the task uses it, in every format', async () => {
    fake.always(status(200, transcription))
    const file = await toFile(AUDIO, 'call.wav', { type: 'audio/wav' })
    const model = 'deepgram/nova-3'
    const written = async (response_format: string, more: object = {}) => {
      const request = { model, file, response_format, ...more }
      return (await client.audio.transcriptions.create(request as never)) as unknown
    }
    const cost = (62 * 0.0052) / 60
    const about = {
      usage: { type: 'duration', seconds: 62 },
      cost: Math.round(cost * 1e12) / 1e12,
      provider: 'deepgram',
    }
    assert.deepEqual({ ...((await written('json', { language: 'en' })) as object) }, { text: 'Hi. Yes.', ...about })
    assert.equal(fake.requests[0]!.headers.authorization, `Token ${ENV.DEEPGRAM_API_KEY}`)
    assert.match(fake.requests[0]!.path, /^\/v1\/listen\?.*language=en.*model=nova-3/)
    assert.equal(await written('text'), 'Hi. Yes.\n')
    assert.equal(
      await written('srt'),
      '1\n00:00:00,000 --> 00:00:00,500\nHi.\n\n2\n00:00:03,000 --> 00:00:04,000\nYes.\n\n',
    )
    assert.match(String(await written('vtt')), /^WEBVTT\n\n00:00:00\.000 --> 00:00:00\.500\nHi\.\n/)
    const verbose = (await written('verbose_json', { timestamp_granularities: ['word', 'segment'] })) as Fields
    assert.deepEqual([verbose.duration, verbose.words], [62, [timed('Hi.', 0, 0.5), timed('Yes.', 3, 4)]])
    const { segments } = (await written('diarized_json')) as { segments: Fields[] }
    assert.deepEqual(
      segments.map(({ speaker, text }) => [speaker, text]),
      [
        ['A', 'Hi.'],
        ['B', 'Yes.'],
      ],
    )
  })

  test('transcripts: texts are made of what says how long it was, and so have a cost', async () => {
    const segments = [{ id: 0, start: 0, end: 1.5, text: ' Hello.' }]
    fake.always(status(200, { text: 'Hello.', duration: 10, segments }))
    const file = await toFile(AUDIO, 'call.wav')
    for (const [response_format, text, request] of [
      ['srt', '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n', 'verbose_json'],
      ['vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello.\n\n', 'verbose_json'],
      ['text', 'Hello.\n', '\r\njson\r\n'],
    ] as const) {
      const fields = { model: 'openai/whisper-1', file, response_format }
      const { data, response } = await client.audio.transcriptions.create(fields).withResponse()
      assert.deepEqual([data as unknown, response.headers.get('x-gatehouse-cost')], [text, '0.001'])
      assert.ok(fake.requests.at(-1)!.text.includes(request))
    }
  })

  test('transcripts: events pass as they come, and are made where there are none', async () => {
    const usage = { type: 'tokens', input_tokens: 1_000_000, output_tokens: 0, total_tokens: 1_000_000 }
    const events = [
      { type: 'transcript.text.delta', delta: 'Hel' },
      { type: 'transcript.text.delta', delta: 'lo.' },
      { type: 'transcript.text.done', text: 'Hello.', usage },
    ]
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    fake.always(status(200, `${text}data: [DONE]\n\n`, EVENT_STREAM))
    const file = await toFile(AUDIO, 'call.wav')
    const before = await spent()
    assert.deepEqual(await streamed({ model: 'openai/gpt-4o-transcribe', file }), events)
    assert.equal(Math.round(((await spent()) - before) * 10), 25)
    assert.match(fake.requests[0]!.text, /name="stream"\r\n\r\ntrue/)
    fake.always(status(200, transcription))
    const made = await streamed({ model: 'deepgram/nova-3', file })
    assert.deepEqual(
      made.map(({ type }) => type),
      ['transcript.text.delta', 'transcript.text.done'],
    )
    assert.deepEqual([made[0]!.delta, made[1]!.text, made[1]!.provider], ['Hi. Yes.', 'Hi. Yes.', 'deepgram'])
    fake.always(status(200, 'Plain.', { 'content-type': 'text/plain' }))
    const fromText = await streamed({ model: 'openai/gpt-4o-transcribe', file })
    assert.deepEqual([fromText[0]!.delta, fromText[1]!.text, fromText[1]!.provider], ['Plain.', 'Plain.', 'openai'])
  })

  test('transcripts: events that were not asked for are a failure of the provider', async () => {
    fake.always(status(200, 'data: {"type":"transcript.text.done","text":"Hi."}\n\n', EVENT_STREAM))
    const file = await toFile(AUDIO, 'call.wav')
    const asked = client.audio.transcriptions.create({ model: 'openai/gpt-4o-transcribe', file })
    await assert.rejects(asked, { status: 502, message: /not a transcript/ })
  })

  test('transcripts: a recording may be at a URL; an internal URL is not reached', async () => {
    fake.always(({ path, text }, response) => {
      if (path.endsWith('/call.wav')) return void response.writeHead(200, { 'content-type': 'audio/wav' }).end(AUDIO)
      assert.ok(text.includes(AUDIO.toString()))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"Hello."}')
    })
    const reply = await post('audio/transcriptions', { model: 'openai/whisper-1', file_url: `${fake.url}/call.wav` })
    assert.deepEqual([reply.status, ((await reply.json()) as Fields).text], [200, 'Hello.'])
    const inside = await post('audio/transcriptions', { model: 'openai/whisper-1', file_url: 'http://127.0.0.2/a.wav' })
    assert.equal(inside.status, 422)
  })

  test('the responses endpoint of Azure is called at its address', async () => {
    const output = [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] }]
    fake.always(status(200, { id: 'r', object: 'response', created_at: 1, model: 'x', status: 'completed', output }))
    const reply = await client.responses.create({ model: 'azure/gpt-5-pro', input: 'Hello' })
    const { path, headers } = fake.requests[0]!
    assert.deepEqual([reply.output_text, path, headers['api-key']], ['Hi.', '/v1/responses', ENV.AZURE_API_KEY])
  })

  function post(path: string, body: object): Promise<Response> {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    return fetch(`${gateway.url}/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  async function streamed(request: { model: string; file: File }): Promise<Fields[]> {
    const events: Fields[] = []
    for await (const event of await client.audio.transcriptions.create({ ...request, stream: true }))
      events.push(event as unknown as Fields)
    return events
  }

  /** The cost so far in USD, from the metrics. */
  async function spent(): Promise<number> {
    const lines = gateway.gateway.services.calls.metrics.write().matchAll(/^gatehouse_cost_usd_total\{[^}]*\} (\S+)$/gm)
    return [...lines].reduce((sum, [, usd]) => sum + Number(usd), 0)
  }
})

const EVENT_STREAM = { 'content-type': 'text/event-stream' }

function word(text: string, start: number, end: number, speaker: number) {
  return { word: text, start, end, speaker }
}

function timed(text: string, start: number, end: number) {
  return { word: text, start, end }
}
