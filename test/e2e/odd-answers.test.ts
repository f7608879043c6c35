import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  brotliCompressSync,
  createGzip,
  deflateRawSync,
  deflateSync,
  constants,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { ChatChunk, ChatCompletion } from '../../src/contract/chat-reply.ts'
import { MessagesReply } from '../../src/contract/messages.ts'
import { ResponseObject } from '../../src/contract/responses.ts'
import { validator } from '../../src/schema/validator.ts'
import { type Behaviour, status } from '../fakes/behaviours.ts'
import { messagesOf } from '../fakes/fold-chunks.ts'
import { textEvents } from '../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { AUDIO_TYPES } from '../fakes/recordings.ts'
import { stream } from '../fakes/stream.ts'
import { type ChatClient, chatClient, HELLO } from './chat-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

// Answers in another form than the one that was asked for, which have everything that the caller needs.

type Fields = Record<string, unknown>

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion', created: 1_750_000_000, model: 'm' }
const JSON_TYPE = { 'content-type': 'application/json' }
const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
const MESSAGE = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude' },
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'EqRs' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
    { type: 'text', text: 'Hi.' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'Bern' } },
  ],
  ...{ stop_reason: 'tool_use', stop_sequence: null, usage: { input_tokens: 3, output_tokens: 4 } },
}
const RESPONSE = {
  ...{ id: 'resp_1', object: 'response', created_at: 1_750_000_000, model: 'm', status: 'completed' },
  output: [
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    { type: 'message', id: 'm_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.', annotations: [] }] },
    { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' },
  ],
  usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
}

const PACK: Record<string, (text: string) => Buffer> = {
  gzip: gzipSync,
  'X-GZip': gzipSync,
  deflate: deflateSync,
  'deflate ': deflateRawSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  'gzip, br': (text) => brotliCompressSync(gzipSync(text)),
}

describe('answers in an unexpected form', () => {
  let gateway: GatewayUnderTest
  let provider: FakeProvider
  let chat: ChatClient
  let folder: string
  before(async () => {
    provider = await startFakeProvider({ everyPath: true })
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-config-'))
    const file = join(folder, 'gatehouse.config.json')
    const names = ['openai', 'anthropic', 'gemini', 'cohere', 'bedrock']
    const rows = names.map((dialect) => [`my-${dialect}`, { dialect, baseUrl: provider.url }])
    await writeFile(file, JSON.stringify({ providers: Object.fromEntries(rows) }))
    const env = { GATEHOUSE_CONFIG: file, OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'sk-fake-0123456789' }
    gateway = await startGateway({ env })
    chat = chatClient(gateway.url)
  })
  beforeEach(() => provider.reset())
  after(async () => {
    await gateway.close()
    await provider.close()
    await rm(folder, { recursive: true })
  })

  for (const [dialect, { recordings }] of Object.entries(AUDIO_TYPES))
    test(`${dialect}: a whole answer to a streamed request is passed on, and asked for once`, async () => {
      const model = `my-${dialect}/x`
      for (const { whole } of recordings.filter(({ request, name }) => request.n === undefined && !/xAI/.test(name))) {
        provider.reset()
        provider.always(status(200, whole, JSON_TYPE))
        const { completion } = await chat.whole({ ...HELLO, model })
        const streamed = await chat.stream({ ...HELLO, model, stream_options: { include_usage: true } })
        assert.deepEqual([streamed.status, streamed.done, streamed.errors], [200, 1, []], whole)
        assert.deepEqual(plain(messagesOf(streamed.chunks)), plain(completion.choices.map(({ message }) => message)))
        assert.deepEqual(plain(streamed.chunks.at(-1)!.usage), plain(completion.usage))
        assert.equal(provider.requests.length, 2)
      }
    })

  test('a whole answer of several choices, and one that claims to be an event stream', async () => {
    const choice = (index: number) => ({
      index,
      message: { role: 'assistant', content: `Nr. ${index}`, tool_calls: [CALL] },
      finish_reason: 'tool_calls',
    })
    const body = JSON.stringify({ id: 'x', created: 1, choices: [choice(0), choice(1)] })
    for (const type of ['application/json', 'text/event-stream']) {
      provider.always(status(200, body, { 'content-type': type }))
      const reply = await chat.stream({ ...HELLO, model: 'my-openai/x', n: 2 })
      const expected = [0, 1].map((nr) => ({ role: 'assistant', content: `Nr. ${nr}`, tool_calls: [CALL] }))
      assert.deepEqual([reply.done, plain(messagesOf(reply.chunks))], [1, expected], type)
    }
  })

  const BAD_WHOLES: Record<string, string> = {
    'an error': '{"object":"error","message":"boom"}',
    'half an answer': '{"choices":[{"message":{"content":"Hi"',
    'an answer without a finish reason': '{"choices":[{"index":0,"message":{"content":"Hi"}}]}',
    'a call without the end of its arguments': JSON.stringify({
      choices: [
        { message: { tool_calls: [{ ...CALL, function: { name: 'f', arguments: '{"a' } }] }, finish_reason: 'stop' },
      ],
    }),
  }
  for (const [what, body] of Object.entries(BAD_WHOLES))
    test(`${what} in one piece is no stream`, async () => {
      provider.always(status(200, body, JSON_TYPE))
      const { status: code, errors, done } = await chat.stream({ ...HELLO, model: 'my-openai/bad' })
      assert.deepEqual([code, errors.length, done], [502, 1, 0])
    })

  const openai = (message: object, more: object = {}) => ({
    ...HEAD,
    choices: [{ message, finish_reason: 'stop', ...more }],
  })
  const claude = (...content: unknown[]) => ({
    ...MESSAGE,
    content: [{ type: 'text', text: 'Hi' }, ...content],
    stop_reason: 'end_turn',
  })
  const cohere = (message: object) => ({
    id: 'a',
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', ...message },
  })
  const gemini = (content: unknown) => ({ candidates: [{ index: 0, content, finishReason: 'STOP' }] })
  const bedrock = (...content: unknown[]) => ({
    output: { message: { role: 'assistant', content: [{ text: 'Hi' }, ...content] } },
    stopReason: 'end_turn',
  })
  const response = (...output: unknown[]) => ({ ...RESPONSE, output: [...RESPONSE.output.slice(0, 2), ...output] })
  const LOSSY: Record<string, [dialect: string, answers: object[]]> = {
    OpenAI: [
      'my-openai',
      [
        openai({ content: { text: 'Hi' } }),
        openai({ content: ['Hi'] }),
        openai({ content: true }),
        openai({
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'text', text: 5 },
          ],
        }),
        openai({ content: 'Hi', tool_calls: 'f()' }),
        openai({ content: 'Hi', tool_calls: ['f()'] }),
        openai({ content: 'Hi', tool_calls: [{ id: 'c', type: 'function', function: 'f()' }] }),
        openai({ content: 'Hi' }, { finish_reason: 'stop', error: { message: 'boom' } }),
        openai({ content: 'Hi' }, { finish_reason: 'failed' }),
      ],
    ],
    Anthropic: [
      'my-anthropic',
      [
        claude({ type: 'text', text: 5 }),
        claude({ type: 'text', text: { value: 'x' } }),
        claude({ type: 'thinking', thinking: {} }),
        claude({ type: 'tool_use', id: 't', name: 'f', input: '{"a' }),
        claude('x'),
        { ...claude(), stop_reason: 'error' },
      ],
    ],
    Gemini: [
      'my-gemini',
      [
        gemini('Hi'),
        gemini({ parts: 'Hi' }),
        gemini({ parts: [{ text: 'Hi' }, 'x'] }),
        gemini({ parts: [{ text: 'Hi' }, { text: 5 }] }),
        gemini({ parts: [{ text: 'Hi' }, { functionCall: 'f()' }] }),
        gemini({ parts: [{ text: 'Hi' }, { functionCall: { args: { a: 1 } } }] }),
      ],
    ],
    Cohere: [
      'my-cohere',
      [
        cohere({ content: 'Hi' }),
        cohere({ content: [{ type: 'text', text: 'Hi' }, 'x'] }),
        cohere({
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'text', text: 5 },
          ],
        }),
        cohere({ content: [{ type: 'text', text: 'Hi' }], tool_calls: 'f()' }),
        cohere({ content: [{ type: 'text', text: 'Hi' }], tool_calls: [{ id: 'c', function: 'f()' }] }),
        cohere({
          content: [{ type: 'text', text: 'Hi' }],
          tool_calls: [{ id: 'c', function: { name: 'f', arguments: 5 } }],
        }),
      ],
    ],
    Bedrock: [
      'my-bedrock',
      [
        bedrock('x'),
        bedrock({ text: 5 }),
        bedrock({ text: { value: 'x' } }),
        bedrock({ toolUse: 'f()' }),
        bedrock({ reasoningContent: 'x' }),
      ],
    ],
    responses: [
      'openai/gpt-5-pro',
      [
        response('x'),
        response({ type: 'message', content: 'x' }),
        response({ type: 'message', content: ['x'] }),
        response({ type: 'message', content: [{ type: 'output_text', text: 5 }] }),
        response({ type: 'function_call', call_id: 'c', name: 'f', arguments: { a: 1 } }),
        response({ type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a' }),
        { ...RESPONSE, error: { message: 'boom' } },
      ],
    ],
  }
  for (const [name, [model, answers]] of Object.entries(LOSSY))
    test(`${name}: a whole answer with a part of another type is refused`, async () => {
      for (const [at, body] of answers.entries()) {
        provider.always(status(200, body))
        const text = model.includes('/')
          ? await post('/v3/responses', { model, input: 'Hello' })
          : (await chat.whole({ ...HELLO, model: `${model}/lossy${at}` })).text
        assert.match(text, /"code":"upstream_error"/, `${JSON.stringify(body)} became ${text}`)
        assert.doesNotMatch(text, /left alone/)
      }
    })

  test('arguments that are a text instead of an object are arguments', async () => {
    const input = '{"city":"Bern"}'
    const call = { type: 'tool_use', id: 't', name: 'f', input }
    provider.next(status(200, { ...MESSAGE, content: [call] }))
    provider.next(
      stream([{ type: 'message_start', message: { ...MESSAGE, content: [call] } }, { type: 'message_stop' }]),
    )
    const { completion } = await chat.whole({ ...HELLO, model: 'my-anthropic/x' })
    const streamed = messagesOf((await chat.stream({ ...HELLO, model: 'my-anthropic/x' })).chunks)
    for (const message of [completion.choices[0]!.message, streamed[0]] as { tool_calls: Fields[] }[])
      assert.deepEqual(message.tool_calls[0]!.function, { name: 'f', arguments: input })
  })

  test('arguments that are cut off fail a whole answer too, unless the limit of tokens cut them off', async () => {
    const cut = { tool_calls: [{ ...CALL, function: { name: 'f', arguments: '{"a":"b' } }] }
    const reply = (finish_reason: string) => status(200, { choices: [{ message: cut, finish_reason }] })
    provider.always(reply('tool_calls'))
    assert.equal((await chat.whole({ ...HELLO, model: 'my-openai/cut' })).status, 502)
    provider.always(reply('length'))
    const { completion } = await chat.whole({ ...HELLO, model: 'my-openai/cut' })
    assert.equal(completion.choices[0]?.finish_reason, 'length')
  })

  test('a caller with the format of the provider gets a whole answer as events of that format', async () => {
    provider.always(status(200, MESSAGE))
    const messages = await post('/v3/v1/messages', { model: 'my-anthropic/x', max_tokens: 9, ...HELLO, stream: true })
    for (const part of ['"server_tool_use"', '"signature":"EqRs"', '"text":"Hi."', '{\\"city\\":\\"Bern\\"}'])
      assert.ok(messages.includes(part), `${part} in ${messages}`)
    assert.match(messages, /"stop_reason":"tool_use"[\s\S]*event: message_stop/)
    provider.always(status(200, RESPONSE))
    const responses = await post('/v3/responses', { model: 'openai/gpt-5-pro', input: 'Hello', stream: true })
    for (const event of ['created', 'output_text.delta', 'function_call_arguments.done', 'completed'])
      assert.ok(responses.includes(`event: response.${event}\n`), `${event} in ${responses}`)
    assert.match(responses, /web_search_call/)
  })

  for (const [encoding, pack] of Object.entries(PACK))
    test(`an answer in ${encoding} is decoded, whole, streamed and as an error`, async () => {
      const ask = { ...HELLO, model: 'my-openai/packed' }
      provider.next(packed(encoding, pack, JSON.stringify(completionOf('Grüße'))))
      assert.equal((await chat.whole(ask)).completion.choices[0]?.message.content, 'Grüße')
      const events = [
        ...textEvents('Grüße aus Bern').map((event) => `data: ${JSON.stringify(event)}\n\n`),
        'data: [DONE]\n\n',
      ]
      provider.next(packed(encoding, pack, events.join(''), 'text/event-stream'))
      const reply = await chat.stream(ask)
      assert.deepEqual([reply.done, (messagesOf(reply.chunks)[0] as Fields).content], [1, 'Grüße aus Bern'])
      provider.next(packed(encoding, pack, '{"error":{"message":"too odd"}}', 'application/json', 400))
      assert.match((await chat.whole(ask)).failure.error.message, /too odd/)
    })

  test('events of a compressed stream are passed on as they arrive', async () => {
    const { promise: arrived, resolve: hasArrived } = Promise.withResolvers<void>()
    provider.next(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).flushHeaders()
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
      gzip.pipe(response)
      const [first, ...others] = [...textEvents('Hi there').slice(0, 2).map(eventText)].join('').split('\n\n\n')
      gzip.write(first)
      await arrived
      gzip.end([...others, ...textEvents('Hi there').slice(2).map(eventText), 'data: [DONE]\n\n'].join(''))
    })
    const response = await chat.post({ ...HELLO, model: 'my-openai/packed', stream: true })
    let text = ''
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      if (text.includes('Hi')) hasArrived()
    }
    assert.match(text, / there[\s\S]*\[DONE\]/)
  })

  const BROKEN_PACKS: Record<string, Behaviour> = {
    'more than an answer may have': packed('zstd', zstdCompressSync, `"${' '.repeat(65 * 1024 * 1024)}"`),
    'more than an event may have': packed(
      'zstd',
      zstdCompressSync,
      `data: ${'x'.repeat(33 * 1024 * 1024)}`,
      'text/event-stream',
    ),
    'bytes that are not compressed': packed('gzip', Buffer.from, JSON.stringify(completionOf('Hi'))),
    'bytes that end too early': packed(
      'br',
      (text) => brotliCompressSync(text).subarray(0, -9),
      JSON.stringify(completionOf('Hi '.repeat(99))),
    ),
    'an unknown coding': packed('lzma', Buffer.from, JSON.stringify(completionOf('Hi'))),
    'three codings': packed(
      'gzip, gzip, gzip',
      (text) => gzipSync(gzipSync(gzipSync(text))),
      JSON.stringify(completionOf('Hi')),
    ),
  }
  for (const [what, behaviour] of Object.entries(BROKEN_PACKS))
    test(`${what}, compressed: a clean error, and no socket is left open`, async () => {
      provider.always(behaviour)
      for (const isStream of [false, true]) {
        const response = await chat.post({ ...HELLO, model: 'my-openai/bomb', stream: isStream })
        assert.ok([502, 503].includes(response.status), `${response.status}`)
        await response.text()
      }
    })

  const completions = validator(ChatCompletion)
  const chunks = validator(ChatChunk)
  const ODD: Record<string, unknown[]> = {
    id: [undefined, null, 5, {}, ''],
    created: [undefined, null, '1750000000', 1.5, 'now', {}, -1],
    object: [undefined, null, 'x'],
    system_fingerprint: [5, {}],
    service_tier: [5, []],
  }
  const ODD_CHOICE: Record<string, unknown[]> = {
    index: [undefined, null, '0', -1, 1.5, {}],
    finish_reason: ['STOP', 'odd'],
  }
  const ODD_SAID: Record<string, unknown[]> = {
    role: [undefined, null, 'model', 5],
    content: [undefined, null, 5, [{ type: 'text', text: 'Hi' }]],
    tool_calls: [
      null,
      [],
      [{ ...CALL, id: 5 }],
      [{ ...CALL, type: 7 }],
      [{ id: 'a', function: { name: 'f', arguments: {} } }],
    ],
  }
  for (const [place, fields] of Object.entries({ top: ODD, choice: ODD_CHOICE, said: ODD_SAID }))
    for (const [field, values] of Object.entries(fields))
      test(`a provider that omits or mistypes ${field}: the answer matches our schema, whole and streamed`, async () => {
        for (const value of values) {
          const odd = (of: string) => (place === of ? { [field]: value } : {})
          const said = { role: 'assistant', content: 'Hi', ...odd('said') }
          const choice = { index: 0, finish_reason: 'stop', ...odd('choice') }
          provider.next(status(200, { ...HEAD, ...odd('top'), choices: [{ ...choice, message: said }] }))
          const { completion } = await chat.whole({ ...HELLO, model: 'my-openai/odd' })
          assert.ok(completions.check(completion), JSON.stringify(completion))
          const part = { ...choice, finish_reason: null, delta: said }
          const events = [
            { ...HEAD, ...odd('top'), choices: [part] },
            { ...HEAD, ...odd('top'), choices: [{ ...choice, delta: {} }] },
          ]
          provider.next(stream(events))
          const reply = await chat.stream({ ...HELLO, model: 'my-openai/odd' })
          assert.deepEqual([reply.done, reply.errors], [1, []], JSON.stringify(value))
          for (const chunk of reply.chunks) assert.ok(chunks.check(chunk), JSON.stringify(chunk))
          assert.equal(reply.chunks[0]!.choices[0]!.delta.role, 'assistant')
        }
      })

  test('several choices without numbers are numbered by their places', async () => {
    const said = { role: 'assistant', content: 'Hi' }
    const unnumbered = { message: said, finish_reason: 'stop' }
    provider.next(status(200, { ...HEAD, choices: [unnumbered, unnumbered] }))
    const { completion } = await chat.whole({ ...HELLO, model: 'my-openai/odd', n: 2 })
    assert.deepEqual(
      completion.choices.map(({ index }) => index),
      [0, 1],
    )
    const pieces = [{ delta: said }, { delta: said }]
    const ends = pieces.map(() => ({ delta: {}, finish_reason: 'stop' }))
    provider.next(
      stream([
        { ...HEAD, choices: pieces },
        { ...HEAD, choices: ends },
      ]),
    )
    const reply = await chat.stream({ ...HELLO, model: 'my-openai/odd', n: 2 })
    assert.deepEqual([reply.done, messagesOf(reply.chunks).length], [1, 2])
  })

  test('a provider with the format of the caller that omits what every answer has: the answer has it', async () => {
    const { id: _, type: __, stop_sequence: ___, usage: ____, ...message } = MESSAGE
    const body = { model: 'my-anthropic/x', max_tokens: 9, ...HELLO }
    for (const odd of [{}, { id: 5, type: 'message', usage: 'none' }]) {
      provider.next(status(200, { ...message, ...odd }))
      const reply = JSON.parse(await post('/v3/v1/messages', body))
      assert.ok(validator(MessagesReply).check(reply), JSON.stringify(reply))
    }
    const { created_at: _____, object: ______, ...response } = RESPONSE
    for (const odd of [{}, { created_at: '5', error: null }, { created_at: 1.5 }]) {
      provider.next(status(200, { ...response, ...odd }))
      const reply = JSON.parse(await post('/v3/responses', { model: 'openai/gpt-5-pro', input: 'Hello' }))
      assert.ok(validator(ResponseObject).check(reply), JSON.stringify(reply))
    }
  })

  async function post(path: string, body: object): Promise<string> {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${API_KEY}` }
    return await (await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text()
  }
})

function completionOf(content: string): Fields {
  return { ...HEAD, choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] }
}

function packed(
  encoding: string,
  pack: (text: string) => Buffer,
  text: string,
  type = 'application/json',
  code = 200,
): Behaviour {
  let bytes: Buffer | undefined
  return (_: unknown, response: ServerResponse) => {
    bytes ??= pack(text)
    response.writeHead(code, {
      'content-type': type,
      'content-encoding': encoding.trim(),
      'content-length': bytes.length,
    })
    response.end(bytes)
  }
}

function eventText(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

/** Without fields that are undefined or null. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member) => member ?? undefined))
}
