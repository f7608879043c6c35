import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { answer, status } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// What the SDKs of Cohere send to `/v2/chat`, and read of the answer.

type Fields = Record<string, unknown>
type Event = {
  type: string
  index?: number
  delta?: { message?: Record<string, unknown>; finish_reason?: string; usage?: Fields }
}
type Reply = { message: Record<string, unknown> | string; finish_reason: string; usage: object; cost: number | null }

const messages = [{ role: 'user', content: 'Hello, you!' }]
const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]

describe("chats in Cohere's format", () => {
  let gateway: GatewayUnderTest
  let fake: FakeProvider
  before(async () => {
    fake = await startFakeProvider({ everyPath: true })
    const rows = ['OPENAI', 'COHERE'].flatMap((name) => [
      [`${name}_BASE_URL`, fake.url],
      [`${name}_API_KEY`, 'key-0123456789'],
    ])
    gateway = await startGateway({ env: Object.fromEntries(rows) })
  })
  beforeEach(() => fake.reset())
  after(async () => {
    await gateway.close()
    await fake.close()
  })

  test('the fields have other names, and the answer is a list of blocks', async () => {
    fake.always(answer({ content: 'Hi.' }))
    const system = { role: 'system', content: [{ type: 'text', text: 'Be short.' }] }
    const settings = { max_tokens: 9, stop_sequences: ['x'], p: 0.5, k: 3, safety_mode: 'OFF' }
    const body = { model: 'openai/gpt-4o', messages: [system, ...messages], ...settings }
    const { status: code, headers, body: reply } = await chat('/v2/chat', body)
    assert.equal(code, 200)
    assert.deepEqual(reply.message, { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] })
    assert.equal(reply.finish_reason, 'COMPLETE')
    assert.deepEqual(Object.keys(reply.usage), ['billed_units', 'tokens'])
    assert.equal(headers.get('x-gatehouse-dropped-fields'), 'safety_mode, k')
    const { stop, top_p, top_k, safety_mode, messages: sent } = fake.requests[0]!.body as Record<string, unknown>
    assert.deepEqual([stop, top_p, top_k, safety_mode], [['x'], 0.5, undefined, undefined])
    assert.equal((sent as object[]).length, 2)
  })

  test('tools are called, and their results come back', async () => {
    const called = await chat('/v3/v2/chat', {
      model: 'sandbox/tools',
      messages,
      tools: TOOLS,
      tool_choice: 'REQUIRED',
    })
    const { tool_calls } = called.body.message as { tool_calls: { id: string; function: { name: string } }[] }
    assert.deepEqual([called.body.finish_reason, tool_calls[0]?.function.name], ['TOOL_CALL', 'look'])
    const results = [
      { role: 'assistant', tool_calls, tool_plan: 'I look.' },
      {
        role: 'tool',
        tool_call_id: tool_calls[0]!.id,
        content: [{ type: 'document', document: { data: 'It rains.' } }],
      },
    ]
    const answered = await chat('/v2/chat', {
      model: 'sandbox/tools',
      messages: [...messages, ...results],
      tools: TOOLS,
    })
    assert.equal(answered.body.finish_reason, 'COMPLETE')
  })

  test('a stream has the events of Cohere, and the usage at its end', async () => {
    const events = await streamed({ model: 'sandbox/echo', messages })
    const types = [...new Set(events.map(({ type }) => type))]
    assert.deepEqual(types, ['message-start', 'content-start', 'content-delta', 'content-end', 'message-end'])
    const texts = events.map(({ delta }) => (delta?.message?.content as { text?: string } | undefined)?.text ?? '')
    assert.equal(texts.join(''), 'Hello, you!')
    const { finish_reason, usage } = events.at(-1)!.delta!
    assert.deepEqual([finish_reason, Object.keys(usage!)], ['COMPLETE', ['billed_units', 'tokens', 'cached_tokens']])
    const calls = await streamed({ model: 'sandbox/tools', messages, tools: TOOLS })
    const kinds = [...new Set(calls.map(({ type }) => type))]
    assert.deepEqual(kinds, ['message-start', 'tool-call-start', 'tool-call-delta', 'tool-call-end', 'message-end'])
    assert.equal(calls.at(-1)!.delta!.finish_reason, 'TOOL_CALL')
  })

  test('a model of Cohere gets what only it understands', async () => {
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] }
    fake.always(
      status(200, {
        id: 'c1',
        finish_reason: 'COMPLETE',
        message,
        usage: { tokens: { input_tokens: 3, output_tokens: 1 } },
      }),
    )
    const documents = [{ data: { text: 'A cat.' } }]
    const { body } = await chat('/v2/chat', {
      model: 'cohere/command-a-03-2025',
      messages,
      documents,
      safety_mode: 'STRICT',
      k: 3,
    })
    assert.deepEqual(body.message, message)
    const sent = fake.requests[0]!.body as Record<string, unknown>
    assert.deepEqual(
      [fake.requests[0]!.path, sent.documents, sent.safety_mode, sent.k],
      ['/v1/chat', documents, 'STRICT', 3],
    )
  })

  test('citations and cached tokens of Cohere and of others, whole and streamed', async () => {
    const sources = [{ type: 'document', id: 'd1', document: { id: 'd1', text: 'A cat.' } }]
    const citation = { start: 0, end: 2, text: 'Hi', sources, content_index: 0, type: 'TEXT_CONTENT' }
    const usage = { tokens: { input_tokens: 3, output_tokens: 1 }, cached_tokens: 2 }
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }], citations: [citation] }
    fake.next(status(200, { id: 'c1', finish_reason: 'COMPLETE', message, usage }))
    const asked = { model: 'cohere/command-a-03-2025', messages }
    const { body } = await chat('/v2/chat', asked)
    assert.deepEqual((body.message as Fields).citations, [citation])
    assert.equal((body.usage as Fields).cached_tokens, 2)
    fake.next(
      stream(
        [
          { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } },
          { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
          { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi.' } } } },
          { type: 'citation-start', index: 0, delta: { message: { citations: citation } } },
          { type: 'citation-end', index: 0 },
          { type: 'content-end', index: 0 },
          { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage } },
        ],
        { end: 'clean' },
      ),
    )
    assertCited(await streamed(asked), citation, 2)
    const url = 'https://a.test/'
    const url_citation = { start_index: 0, end_index: 2, url, title: 'A' }
    const annotations = [{ type: 'url_citation', url_citation }]
    const document = { url, title: 'A' }
    const ofOthers = { ...citation, sources: [{ type: 'document', id: url, document }] }
    const counted = {
      prompt_tokens: 3,
      completion_tokens: 1,
      total_tokens: 4,
      prompt_tokens_details: { cached_tokens: 1 },
    }
    const head = { id: 'c', created: 1, model: 'm' }
    const end = { finish_reason: 'stop', index: 0 }
    const said = { role: 'assistant', content: 'Hi.', annotations }
    fake.next(status(200, { ...head, object: 'chat.completion', choices: [{ ...end, message: said }], usage: counted }))
    const other = { model: 'openai/gpt-4o', messages }
    const { body: whole } = await chat('/v2/chat', other)
    assert.deepEqual((whole.message as Fields).citations, [ofOthers])
    assert.equal((whole.usage as Fields).cached_tokens, 1)
    const chunk = { ...head, object: 'chat.completion.chunk' }
    fake.next(
      stream([
        { ...chunk, choices: [{ ...end, delta: said }] },
        { ...chunk, choices: [], usage: counted },
      ]),
    )
    assertCited(await streamed(other), ofOthers, 1)
  })

  function assertCited(events: Event[], citation: object, cached: number): void {
    const started = events.filter(({ type }) => type === 'citation-start')
    assert.deepEqual(
      started.map(({ delta }) => delta?.message?.citations),
      [citation],
    )
    assert.equal(events.filter(({ type }) => type === 'citation-end').length, 1)
    assert.equal(events.at(-1)?.delta?.usage?.cached_tokens, cached)
  }

  test('what cannot be translated is refused, with the reason in `message`', async () => {
    const documents = [{ data: { text: 'A cat.' } }]
    const odd = [{ role: 'user', content: [{ type: 'hologram' }] }]
    for (const [change, reason] of [
      [{ documents }, /documents: only models of Cohere cite/],
      [{ messages: odd }, /messages\.0\.content\.0: a block is/],
      [{ messages: [] }, /./],
      [{ model: 'openai/tts-1' }, /supports: \/audio\/speech/],
    ] as const) {
      const { status: code, body } = await chat('/v2/chat', { model: 'openai/gpt-4o', messages, ...change })
      assert.ok(code === 422 || code === 400, JSON.stringify(body))
      assert.match(String(body.message), reason)
    }
    assert.equal(fake.requests.length, 0)
  })

  async function chat(path: string, body: object) {
    const reply = await post(path, body)
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Reply }
  }

  async function streamed(body: object): Promise<Event[]> {
    const text = await (await post('/v2/chat', { ...body, stream: true })).text()
    return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as Event] : []))
  }

  function post(path: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` }
    return fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
})
