import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type Behaviour, status } from '../fakes/behaviours.ts'
import { textEvents } from '../fakes/openai-events.ts'
import { stream } from '../fakes/stream.ts'
import { sample } from '../soak/sample.ts'
import { HELLO } from '../gateway/chat-client.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { gatewayWithRows, rowPerDialect } from '../gateway/gateway-with-rows.ts'
import { MB } from '../../src/base/units/units.ts'

// Answers that are meant to do harm: bombs, bytes that are no text, and content that a caller has tampered with.

type Fields = Record<string, unknown>

const OPENAI = { ...HELLO, model: 'my-openai/m' }
const CLAUDE = 'my-anthropic/m'
const TEXT = 'aé漢😀\u202e\ufffdz'
const QUESTION = { role: 'user', content: 'Hi' }

const { gateway, provider, chat, post } = await gatewayWithRows(rowPerDialect())

test('characters may be split at every border of the pieces', async () => {
  const events = [...textEvents(TEXT, { usage: null })]
  for (const chunking of [1, 2, 3, 5, 7, 11, 64] as const) {
    provider.next(stream(events, { chunking }))
    const { chunks, done } = await chat.stream(OPENAI)
    const said = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
    assert.deepEqual([said, done], [TEXT, 1], `pieces of ${chunking} bytes`)
  }
})

const BROKEN = { 'a cut character': [0xe6, 0xbc], 'a byte that is none': [0xff], 'a surrogate': [0xed, 0xa0, 0x80] }
for (const [what, bytes] of Object.entries(BROKEN))
  test(`${what} at the border of two pieces is no text: the stream is not complete`, async () => {
    const [head, tail] = ['data: {"id":"c","choices":[{"index":0,"delta":{"content":"a', 'b"}}]}\n\ndata: [DONE]\n\n']
    provider.next((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(Buffer.concat([Buffer.from(head), Buffer.from(bytes)]), () => response.end(tail))
    })
    const { done } = await chat.stream(OPENAI)
    assert.equal(done, 0)
  })

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const CODINGS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes) => brotliCompressSync(bytes, FAST),
  zstd: zstdCompressSync,
}
const SPACES = Buffer.alloc(65 * MB, ' ')
const NOTHING = 'data: {"choices":[]}\n\n'
/** More than are read; so few compressed bytes could be a hundred times as many. */
const NOTHINGS = Buffer.alloc(101_000 * NOTHING.length, NOTHING)

for (const [coding, pack] of Object.entries(CODINGS).slice(0, sample(1, 4))) {
  test(`${coding}: a body that is small on the wire has the limits of a large one`, async () => {
    provider.next(packed('application/json', coding, pack(SPACES)))
    assert.equal((await chat.post(OPENAI)).status, 502)
    const thrice = Array(3).fill(coding).join(', ')
    provider.next(packed('application/json', thrice, pack(pack(pack(Buffer.from('{}'))))))
    assert.equal((await chat.post(OPENAI)).status, 502)
  })

  test(`${coding}: a stream of events that say nothing ends, before the first word and after it`, async () => {
    const word = Buffer.from(`data: ${JSON.stringify(textEvents('Hi', { usage: null })[1])}\n\n`)
    for (const bytes of [NOTHINGS, Buffer.concat([word, NOTHINGS])]) {
      provider.next(packed('text/event-stream', coding, pack(bytes)))
      const reply = await chat.post({ ...OPENAI, stream: true })
      const text = await reply.text().catch(() => 'cut off')
      assert.doesNotMatch(text, /\[DONE\]/)
    }
  })
}

const TAMPERED: unknown[] = [
  'text',
  [],
  { type: 5, blocks: 'x' },
  { type: 'anthropic', blocks: [{ type: 'text', start_index: -5, end_index: 'x' }] },
  { type: 'anthropic', blocks: [{ type: 'text', start_index: 1e308, end_index: 2 }] },
  { type: 'anthropic', blocks: [{ type: 'tool_use', id: {} }, { type: 'thinking' }, null, 7] },
  { type: 'gemini', blocks: [{ type: 'part', part: [] }] },
  { type: 'bedrock', blocks: [{ type: 'block', block: null }] },
  { type: 'constructor', blocks: [{ type: 'toString' }], container: 'x', omitted: 'y' },
  { type: 'anthropic', blocks: Array.from({ length: 10_000 }, () => ({ type: 'text', start_index: 0, end_index: 0 })) },
]
for (const dialect of ['openai', 'anthropic', 'gemini', 'cohere', 'bedrock'])
  test(`${dialect}: content that a caller has tampered with is refused or dropped, and breaks nothing`, async () => {
    provider.always(status(400, { error: { message: 'No.' }, message: 'No.' }))
    for (const provider_content of TAMPERED) {
      const answered = { role: 'assistant', content: 'A gate.', provider_content }
      const reply = await chat.post({ model: `my-${dialect}/m`, messages: [QUESTION, answered, QUESTION] })
      assert.ok([400, 422].includes(reply.status), `${reply.status} ${await reply.text()}`)
    }
  })

test('provider content of 8 MB does not reach a fallback that cannot take it, and that is noted', async () => {
  const block = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'x', input: { data: 'x'.repeat(7_900_000) } }
  const provider_content = { type: 'anthropic', blocks: [block, { type: 'text', start_index: 0, end_index: 7 }] }
  const answered = { role: 'assistant', content: 'A gate.', provider_content }
  provider.next(status(503, { error: { type: 'overloaded_error', message: 'Busy.' } }))
  provider.next(status(200, { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }))
  const reply = await fetch(`${gateway.url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: CLAUDE,
      fallbacks: ['my-openai/m'],
      messages: [QUESTION, answered, QUESTION],
    }),
  })
  assert.equal(reply.status, 200, await reply.clone().text())
  assert.equal(reply.headers.get('x-gatehouse-dropped-fields'), 'messages.provider_content')
  const [first, second] = provider.requests.map(({ text }) => text.length)
  assert.ok(first! > 7_900_000 && second! < 10_000)
})

test('the second of two beginnings has the content: the caller gets it in the chat format and in its own', async () => {
  const start = (content: Fields[], stop_reason: string | null) => {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason }
    return { type: 'message_start', message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } }
  }
  const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'Bern' } }
  const events = [start([], null), start([{ type: 'text', text: 'So.' }, call], 'tool_use'), { type: 'message_stop' }]
  provider.always(stream(events, { end: 'clean' }))
  const { chunks, done } = await chat.stream({ ...HELLO, model: CLAUDE })
  assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), 'So.')
  assert.equal(done, 1)
  const text = await post('/v3/v1/messages', { model: CLAUDE, max_tokens: 9, messages: [QUESTION], stream: true })
  assert.match(text, /content_block_start.*"text":"So\."/)
  assert.match(text, /content_block_start.*"city":"Bern"/)
})

function packed(type: string, coding: string, bytes: Buffer): Behaviour {
  return (_, response) => void response.writeHead(200, { 'content-type': type, 'content-encoding': coding }).end(bytes)
}
