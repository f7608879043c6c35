import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { foldChunks, messagesOf } from '../../fakes/fold-chunks.ts'
import {
  type Chunk,
  interleavedChoices,
  reasoningEvents,
  SOME_USAGE,
  textEvents,
  toolEvents,
  usageChunk,
} from '../../fakes/openai-events.ts'
import { type Chunking, stream } from '../../fakes/stream.ts'
import { someOf } from '../../soak/sample.ts'
import { ASK, HELLO, readStream } from '../../gateway/chat-client.ts'
import { gatewayForAll } from '../../gateway/gateway-with-fakes.ts'
import { DEFAULT_TIMES } from '../../../src/server/assemble.ts'

const setup = await gatewayForAll()
const { chat, openai, gateway } = setup

const WITH_USAGE = { stream_options: { include_usage: true } }
const SPEECH_TEXT = 'Grüß 世界 👋🏽„ja“'
const CALLS = [
  { id: 'call_1', name: 'weather', arguments: '{"city":"Tromsø","days":[1,2]}' },
  { id: 'call_2', name: 'time', arguments: '{}' },
]

test('the grammar: role, deltas, one finish, usage when asked, [DONE]', async () => {
  openai.next(stream(textEvents('Hi there you')))
  const reply = await chat.stream({ ...ASK, ...WITH_USAGE })
  assert.equal(reply.status, 200)
  assert.deepEqual([reply.done, reply.errors, reply.comments], [1, [], []])
  assert.ok(reply.text.endsWith('data: [DONE]\n\n'))
  assert.deepEqual(
    reply.chunks.map(({ choices }) => choices[0] && [choices[0].delta, choices[0].finish_reason]),
    [
      [{ role: 'assistant', content: '', refusal: null }, null],
      [{ content: 'Hi' }, null],
      [{ content: ' there' }, null],
      [{ content: ' you' }, null],
      [{}, 'stop'],
      undefined,
    ],
  )
  for (const { id, object, created, model } of reply.chunks) {
    assert.deepEqual(
      [id, object, created, model],
      ['chatcmpl-fake', 'chat.completion.chunk', 1_750_000_000, 'openai/gpt-4o-mini'],
    )
  }
  assert.equal(reply.chunks[0]!.provider, 'openai')
  const { usage, cost, provider, choices } = reply.chunks.at(-1)!
  assert.deepEqual(
    { usage, cost, provider, choices },
    { usage: SOME_USAGE, cost: 0.00000855, provider: 'openai', choices: [] },
  )
  for (const chunk of reply.chunks.slice(0, -1)) assert.equal(chunk.usage, null, 'as OpenAI sends it')
})

test('silence is filled every 15 s, and usage may follow the finish reason for 1 s, as deployed', () => {
  assert.deepEqual([DEFAULT_TIMES.heartbeatMs, DEFAULT_TIMES.afterFinishMs], [15_000, 1_000])
})

test('what comes after the finish reason counts, also without [DONE]', async () => {
  openai.next(stream(textEvents('Hi there'), { end: 'clean' }))
  const { chunks } = await chat.stream({ ...ASK, ...WITH_USAGE })
  assert.deepEqual(chunks.at(-1)!.usage, SOME_USAGE)
})

test('the headers of a stream name model, provider and attempts, and keep proxies from holding it back', async () => {
  openai.next(stream(textEvents('Hi')))
  const { headers } = await chat.stream(ASK)
  assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.match(headers.get('cache-control') ?? '', /no-(cache|store)/)
  assert.equal(headers.get('x-accel-buffering'), 'no')
  assert.match(headers.get('x-request-id') ?? '', /^req_/)
  assert.deepEqual(
    ['model', 'provider', 'attempts', 'cost'].map((name) => headers.get(`x-gatehouse-${name}`)),
    ['openai/gpt-4o-mini', 'openai', '1', null],
  )
})

const finishing = textEvents('One two', { usage: null })
const withUsage = (chunk: Chunk, completion_tokens: number) => {
  return { ...chunk, usage: { ...SOME_USAGE, completion_tokens, total_tokens: 9 + completion_tokens } }
}
const USAGES: Record<string, Chunk[]> = {
  'in a chunk of its own': [...finishing, usageChunk()],
  'on the finish chunk': finishing.with(-1, { ...finishing.at(-1)!, usage: SOME_USAGE }),
  'on every chunk, growing': finishing.map((chunk, index) => withUsage(chunk, 9 + index)),
  'null until the end': [...finishing.map((chunk) => ({ ...chunk, usage: null })), usageChunk()],
}

for (const [where, chunks] of Object.entries(USAGES)) {
  test(`usage ${where} reaches the caller once, and only when asked for`, async () => {
    openai.always(stream(chunks))
    const request = await chat.stream({ ...ASK, ...WITH_USAGE })
    assert.deepEqual(
      request.chunks.filter(({ usage }) => usage).map(({ usage, cost }) => [usage, cost]),
      [[SOME_USAGE, 0.00000855]],
    )
    assert.deepEqual(request.chunks.at(-1)!.choices, [])
    const silent = await chat.stream(ASK)
    assert.deepEqual(
      silent.chunks.map((chunk) => ({ ...chunk, usage: null })),
      request.chunks.slice(0, -1),
    )
    assert.ok(silent.chunks.every((chunk) => !('usage' in chunk) && chunk.choices.length > 0))
    assert.equal(silent.done, 1)
  })
}

for (const ending of [[], [{ ...usageChunk(), usage: {} }], [{ ...usageChunk(), usage: 5 }]]) {
  test(`a stream without usable usage is estimated, and says so: ${JSON.stringify(ending[0]?.usage)}`, async () => {
    openai.next(stream([...textEvents('x'.repeat(400), { usage: null }), ...ending]))
    const { chunks, headers } = await chat.stream({ ...ASK, ...WITH_USAGE })
    const { usage, cost } = chunks.at(-1)!
    assert.equal(usage?.completion_tokens, 100)
    assert.ok(usage!.prompt_tokens > 0)
    assert.equal((usage as { estimated?: boolean }).estimated, true)
    assert.equal(cost, null)
    await setup.idle()
    assert.match(gateway.logs(), new RegExp(`"${headers.get('x-request-id')}".*"estimated":true`))
  })
}

test('metadata comes on the first chunk when asked for', async () => {
  const headers = { 'x-gatehouse-metadata': 'enabled' }
  for (const chunks of [textEvents('Hi'), [azureOpening(), ...textEvents('Hi')]]) {
    openai.next(stream(chunks))
    const reply = await chat.stream(ASK, { headers })
    assert.equal(typeof reply.chunks[0]!.gatehouse, 'object')
    assert.equal(reply.chunks[0]!.provider, 'openai')
    assert.equal(reply.chunks.filter(({ gatehouse }) => gatehouse).length, 1)
  }
})

const REPLIES: Record<string, { events: Chunk[]; n?: number; message?: object; finish?: string }> = {
  text: { events: textEvents(SPEECH_TEXT), message: { content: SPEECH_TEXT } },
  reasoning: {
    events: reasoningEvents('Let mé see.', SPEECH_TEXT),
    message: { content: SPEECH_TEXT, reasoning_content: 'Let mé see.' },
  },
  tools: {
    events: toolEvents(CALLS),
    message: {
      content: '',
      tool_calls: CALLS.map(({ id, ...called }) => ({ id, type: 'function', function: called })),
    },
    finish: 'tool_calls',
  },
  'two choices taking turns': { events: interleavedChoices(['One ünd two.', 'Thrée']), n: 2 },
}

const texts = (events: Chunk[]) => [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n']
const WRITINGS: Record<string, (events: Chunk[]) => string[]> = {
  'as usual': texts,
  'with CRLF': (events) => texts(events).map((text) => text.replaceAll('\n', '\r\n')),
  'with CR': (events) => texts(events).map((text) => text.replaceAll('\n', '\r')),
  'with a BOM, comments and other fields': (events) => [
    '\uFEFF',
    ': OPENROUTER PROCESSING\n\n',
    ...texts(events).map((text) => `: ping\nid: 7\nretry: 10\nevent: message\n${text}:\n\n`),
  ],
  'with data over several lines': (events) => {
    return [
      ...events.map((event) => `data:${JSON.stringify(event, null, 1).replaceAll('\n', '\ndata: ')}\n\n`),
      'data:[DONE]\n\n',
    ]
  },
}

/** One byte at a time is slow, so each variant is split in this way once, with the text that has the most to break. */
function chunkings(reply: string, writing: string): Chunking[] {
  const slow: Chunking[] = reply === 'text' || (reply === 'tools' && writing === 'as usual') ? [1] : [7]
  return ['whole', 'event', 'random', ...slow]
}

function slim({ service_tier: _, system_fingerprint: __, ...chunk }: Chunk): Chunk {
  return chunk
}

for (const [shift, [name, { events, n }]] of Object.entries(REPLIES).entries()) {
  test(`${name}: however it is written and cut, the output is the same`, async () => {
    const body = { ...ASK, ...WITH_USAGE, ...(n && { n }) }
    const outputs = new Map<string, string>()
    for (const [index, [writing, write]] of Object.entries(WRITINGS).entries()) {
      for (const chunking of someOf(chunkings(name, writing), shift + index, 2)) {
        openai.next(stream(write(events.map(slim)), { chunking, end: 'clean', seed: writing.length }))
        outputs.set((await chat.stream(body)).text, `${writing}, ${chunking}`)
      }
    }
    assert.equal(outputs.size, 1, JSON.stringify([...outputs], null, 1))
    const [text] = outputs.keys()
    assert.deepEqual(messagesOf(readStream(text!).chunks), messagesOf(events))
  })
}

for (const [name, { events, message, finish }] of Object.entries(REPLIES)) {
  if (!message) continue
  test(`${name}: what the stream adds up to is the whole answer`, async () => {
    openai.next(stream(events))
    const streamed = foldChunks((await chat.stream({ ...ASK, ...WITH_USAGE })).chunks)
    openai.next(answer({ message: { annotations: undefined, ...message } }))
    const { completion } = await chat.whole(ASK)
    if (finish) completion.choices[0]!.finish_reason = finish as 'stop'
    assert.deepEqual(streamed.choices, completion.choices)
    for (const key of ['id', 'object', 'created', 'model', 'usage', 'provider'] as const) {
      assert.deepEqual(streamed[key], completion[key], key)
    }
  })
}

for (const more of [
  {},
  { n: 3 },
  { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] },
]) {
  test(`the sandbox says the same whole and streamed: ${JSON.stringify(more)}`, async () => {
    const body = { model: 'sandbox/echo', ...HELLO, ...more }
    const { chunks } = await chat.stream({ ...body, ...WITH_USAGE })
    const { completion } = await chat.whole(body)
    const streamed = foldChunks(chunks) as { choices: object; usage: object }
    assert.deepEqual([streamed.choices, streamed.usage, chunks.at(-1)!.cost], [completion.choices, completion.usage, 0])
  })
}

const SLOPPY: Record<string, (chunk: Chunk, index: number) => object> = {
  'no role at all': (chunk) => ({
    ...chunk,
    choices: chunk.choices.map(({ delta: { role: _, ...delta }, ...choice }) => ({ ...choice, delta })),
  }),
  'a role of null': (chunk) => ({
    ...chunk,
    choices: chunk.choices.map((choice) => ({ ...choice, delta: { ...choice.delta, role: null } })),
  }),
  'the role in every chunk': (chunk) => ({
    ...chunk,
    choices: chunk.choices.map((choice) => ({ ...choice, delta: { ...choice.delta, role: 'assistant' } })),
  }),
  'an empty list of tool calls': (chunk) => ({
    ...chunk,
    choices: chunk.choices.map((choice) => ({ ...choice, delta: { ...choice.delta, tool_calls: [] } })),
  }),
  'no delta in the finish chunk': (chunk) => ({
    ...chunk,
    choices: chunk.choices.map(({ delta, ...choice }) => (choice.finish_reason ? choice : { ...choice, delta })),
  }),
  'no index': (chunk) => ({ ...chunk, choices: chunk.choices.map(({ index: _, ...choice }) => choice) }),
  'a new id in every chunk': (chunk, index) => ({ ...chunk, id: `chatcmpl-${index}` }),
  'no id': ({ id: _, created: __, object: ___, ...chunk }) => chunk,
}

for (const [compatEntry, change] of Object.entries(SLOPPY)) {
  test(`a provider with ${compatEntry} still gives a stream by the grammar`, async () => {
    openai.next(stream(textEvents('Hi there').map(change)))
    const { chunks, done } = await chat.stream(ASK)
    const { choices, id } = foldChunks(chunks) as { choices: object[]; id: unknown }
    const expected = {
      index: 0,
      message: { role: 'assistant', content: 'Hi there', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    }
    assert.deepEqual(choices, [expected])
    assert.equal(typeof id, 'string')
    assert.ok(chunks.slice(1).every(({ choices }) => !choices[0]?.delta.role))
    assert.equal(done, 1)
  })
}

test('a choice that goes on after its finish reason is not passed on', async () => {
  const events = textEvents('Hi', { usage: null })
  const echo = { ...events.at(-1)!, usage: SOME_USAGE }
  openai.next(stream([...events, echo]))
  const { chunks, done } = await chat.stream({ ...ASK, ...WITH_USAGE })
  assert.equal(chunks.filter(({ choices }) => choices[0]?.finish_reason).length, 1)
  assert.deepEqual([chunks.at(-1)!.usage, done], [SOME_USAGE, 1])
})

/** The first event of some providers has no choices, only the result of a prompt filter. */
function azureOpening(): object {
  return { ...usageChunk(), usage: undefined, prompt_filter_results: [{ prompt_index: 0 }] }
}
