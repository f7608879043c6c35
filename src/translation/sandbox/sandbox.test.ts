import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import type { SendOptions, WireResponse } from '../wire/wire.ts'
import { foldChunks } from '../../../test/fakes/fold-chunks.ts'
import { createSandbox } from './sandbox.ts'

const NOW_MS = 1_763_000_000_987
const send = createSandbox({ now: () => NOW_MS })
const OPTIONS: SendOptions = {
  signal: new AbortController().signal,
  timeouts: { headersMs: 60_000, idleMs: 60_000 },
  owner: 'owner',
}

const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['C', 'F'] } },
      required: ['city'],
    },
  },
}
const TIME = { type: 'function', function: { name: 'time' } }
const REQUEST = [{ role: 'user', content: 'Oslo' }]

test('echoes the last user text, labelled, with usage that can be checked by hand', async () => {
  const messages = [{ role: 'system', content: 'Be kind' }, ...REQUEST, { role: 'user', content: 'Hello, world' }]
  assert.deepEqual(await whole({ messages }), {
    id: (await whole({ messages })).id,
    object: 'chat.completion',
    created: 1_763_000_000,
    model: 'echo',
    system_fingerprint: 'sandbox',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello, world', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 6,
      completion_tokens: 3,
      total_tokens: 9,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
  })
})

test('another request has another id, the same request the same', async () => {
  const [one, same, other] = [await whole({}), await whole({}), await whole({ seed: 1 })]
  assert.match(String(one.id), /^chatcmpl-[0-9a-f]{24}$/)
  assert.equal(one.id, same.id)
  assert.notEqual(one.id, other.id)
})

const CUSTOM = { type: 'custom', custom: { name: 'shell' } }
const CALLS: Record<string, { body: object; message: (id: string) => object; finish: string }> = {
  'a tool': {
    body: { tools: [WEATHER], tool_choice: 'required' },
    message: (id) => ({
      tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    }),
    finish: 'tool_calls',
  },
  'a custom tool': {
    body: { tools: [CUSTOM], tool_choice: 'required' },
    message: (id) => ({ tool_calls: [{ id, type: 'custom', custom: { name: 'shell', input: 'Oslo' } }] }),
    finish: 'tool_calls',
  },
  'a legacy function': {
    body: { functions: [WEATHER.function], function_call: { name: 'weather' } },
    message: () => ({ function_call: { name: 'weather', arguments: '{"city":"Oslo"}' } }),
    finish: 'function_call',
  },
}

for (const [name, { body, message, finish }] of Object.entries(CALLS)) {
  test(`the wire form of a call to ${name}`, async () => {
    const { id, choices } = await whole(body)
    const callId = `call_${String(id).slice('chatcmpl-'.length, -2)}00`
    assert.deepEqual(choices[0]?.message, { role: 'assistant', content: null, refusal: null, ...message(callId) })
    assert.equal(choices[0]?.finish_reason, finish)
  })
}

for (const [name, body] of Object.entries({
  text: {},
  'two calls': { tools: [WEATHER], tool_choice: 'required', n: 2 },
})) {
  test(`streamed and whole are the same, ids and all: ${name}`, async () => {
    const chunks = await streamed({ ...body, stream_options: { include_usage: true } })
    assert.deepEqual(foldChunks(chunks), await whole(body))
  })
}

test("OpenAI's own client reads both", async () => {
  const client = new OpenAI({ apiKey: 'none', baseURL: 'sandbox://local', fetch: throughSandbox })
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Oslo' }]
  const body = { model: 'tools', messages, tools: [WEATHER] }
  const one = await client.chat.completions.create(body)
  const other = await client.chat.completions.stream(body).finalChatCompletion()
  for (const { choices } of [one, other]) {
    const [call] = choices[0]?.message.tool_calls ?? []
    assert.ok(call?.type === 'function')
    assert.deepEqual([call.function.name, call.function.arguments], ['weather', '{"city":"Oslo"}'])
  }
})

test('requests that no provider would take', async () => {
  const cases: [object, string | null][] = [
    [{ messages: [] }, 'messages'],
    [{ n: 0 }, 'n'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ stop: Array(17).fill('x') }, 'stop'],
    [{ model: '' }, 'model'],
    [{ tools: [TIME], tool_choice: { type: 'function', function: { name: 'nope' } } }, 'tool_choice'],
  ]
  for (const [body, param] of cases) {
    const response = await ask(body)
    assert.equal(response.status, 400)
    assert.equal((JSON.parse(await textOf(response)) as { error: { param: unknown } }).error.param, param)
  }
  assert.equal((await send({ ...wireRequest({}), body: 'no json' }, OPTIONS)).status, 400)
  assert.equal((await send({ ...wireRequest({}), url: 'sandbox://local/models' }, OPTIONS)).status, 404)
})

test('a body of bytes is as good as text', async () => {
  const request = wireRequest({ messages: REQUEST })
  const bytes = new TextEncoder().encode(request.body)
  assert.equal(
    await textOf(await send({ ...request, body: bytes }, OPTIONS)),
    await textOf(await send(request, OPTIONS)),
  )
})

test('an abort before the call, and at every moment of a stream, ends it with the reason', async () => {
  const body = { messages: [user('one two three')], stream: true, n: 2, stream_options: { include_usage: true } }
  const reason = new Error('the caller left')
  const options = { ...OPTIONS, signal: AbortSignal.abort(reason) }
  await assert.rejects(send(wireRequest(body), options), reason)
  const { length } = await piecesOf(await ask(body))
  for (let moment = 0; moment <= length; moment++) await assert.rejects(abortedAfter(moment, body, reason), reason)
})

test('an abort from outside reaches a stream that nothing slows down', async () => {
  const reason = new Error('the caller left')
  const abort = new AbortController()
  const body = { messages: [user('word '.repeat(100_000))], stream: true }
  const response = await send(wireRequest(body), { ...OPTIONS, signal: abort.signal })
  setImmediate(() => abort.abort(reason))
  await assert.rejects(piecesOf(response), reason)
})

type Answer = { choices: { message: Record<string, unknown>; finish_reason: string }[]; [field: string]: unknown }
type AnswerChunk = { choices: { index: number; delta: Record<string, unknown>; finish_reason: string | null }[] }

function user(content: unknown): object {
  return { role: 'user', content }
}

function wireRequest(body: object) {
  const text = JSON.stringify({ model: 'echo', messages: REQUEST, ...body })
  return { method: 'POST', url: 'sandbox://local/chat/completions', headers: {}, body: text } as const
}

function ask(body: object): Promise<WireResponse> {
  return send(wireRequest(body), OPTIONS)
}

async function piecesOf({ body }: WireResponse): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces
}

async function textOf(response: WireResponse): Promise<string> {
  return Buffer.concat(await piecesOf(response)).toString()
}

async function whole(body: object): Promise<Answer> {
  const response = await ask(body)
  assert.equal(response.status, 200)
  assert.equal(response.headers['content-type'], 'application/json')
  return JSON.parse(await textOf(response)) as Answer
}

async function streamed(body: object): Promise<(AnswerChunk & { usage?: unknown })[]> {
  const response = await ask({ ...body, stream: true })
  assert.equal(response.headers['content-type'], 'text/event-stream; charset=utf-8')
  const events = (await textOf(response)).split('\n\n')
  assert.deepEqual(events.splice(-2), ['data: [DONE]', ''])
  return events.map((event) => JSON.parse(event.slice('data: '.length)) as AnswerChunk)
}

async function abortedAfter(moment: number, body: object, reason: Error): Promise<void> {
  const abort = new AbortController()
  const response = await send(wireRequest(body), { ...OPTIONS, signal: abort.signal })
  let seen = 0
  if (moment === 0) abort.abort(reason)
  for await (const _ of response.body) {
    if (++seen > moment) assert.fail('something came after the abort')
    if (seen === moment) abort.abort(reason)
  }
}

async function throughSandbox(url: unknown, init?: { body?: unknown }): Promise<Response> {
  const request = { method: 'POST', url: String(url), headers: {}, body: String(init?.body) } as const
  const { status, headers, body } = await send(request, OPTIONS)
  return new Response(ReadableStream.from(body), { status, headers: headers as Record<string, string> })
}
