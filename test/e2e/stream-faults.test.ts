import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { eventFrame } from '../fakes/aws-frames.ts'
import { type Behaviour, status } from '../fakes/behaviours.ts'
import { interleavedChoices, textEvents, toolEvents } from '../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { stream } from '../fakes/stream.ts'
import { type ChatClient, chatClient, HELLO, type StreamedReply } from './chat-client.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

// Streams that look complete although a part of the answer is missing. None of them may be reported as complete: they are
// continued where that is safe, and fail otherwise.

const WORDS = textEvents('One two three four', { usage: null })
const [OPENING, ONE, TWO, , , FINISH] = WORDS
const BEGUN = [OPENING!, ONE!, TWO!]
const CALLS = toolEvents([{ id: 'call_1', name: 'weather', arguments: '{"city":"Tromsø"}' }], { usage: null })
const CHOICES = interleavedChoices(['a b', 'c d'], { usage: null })
const DONE = 'data: [DONE]\n\n'

type Events = readonly (string | object | Buffer)[]

const ERRORS: Record<string, string> = {
  'a flat error in a named event': 'event: error\ndata: {"message":"boom","code":"internal"}\n\n',
  'an error in a named event as plain text': 'event: error\ndata: boom\n\n',
  'an error in a named event, nested': 'event: error\ndata: {"error":{"message":"boom"}}\n\n',
  'an error in a named event of several lines': 'event: error\ndata: {\ndata: "detail": "boom"}\n\n',
  'a flat error object': 'data: {"object":"error","message":"boom","code":50001}\n\n',
  'an error as text': 'data: {"error":"boom"}\n\n',
  'a message with a code': 'data: {"message":"boom","code":"500"}\n\n',
  'a detail': 'data: {"detail":"boom"}\n\n',
  'a list of details': 'data: {"detail":[{"loc":["body"],"msg":"boom"}]}\n\n',
  'an error by its type': 'data: {"type":"server_error","message":"boom"}\n\n',
  'a list of errors': 'data: {"success":false,"errors":[{"code":7,"message":"boom"}]}\n\n',
  'a flat error beside an empty list of choices': 'data: {"object":"error","message":"boom","choices":[]}\n\n',
  'a detail beside an empty list of choices': 'data: {"id":"x","choices":[],"detail":"boom"}\n\n',
  'an error inside of a choice':
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":null,"error":{"code":502,"message":"boom"}}]}\n\n',
  'an error inside of a choice that ends':
    'data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"message":"boom"}}]}\n\n',
  'an error in a list': 'data: [{"error":{"code":503,"message":"boom"}}]\n\n',
  'an error with a title (RFC 9457)': 'data: {"title":"boom","status":500}\n\n',
}

const LOST: Record<string, string | Buffer> = {
  'an event that is cut off': 'data: {"choices":[{"index":0,"delta":{"content":" th\n\n',
  'an event whose beginning is missing': 'data: ices":[{"index":0,"delta":{"content":" three"}}]}\n\n',
  'choices that are no list': 'data: {"choices":{"index":0}}\n\n',
  'a choice that is a text': 'data: {"choices":[" three"]}\n\n',
  'a delta that is a text': 'data: {"choices":[{"index":0,"delta":" three"}]}\n\n',
  'an event inside of a text': `data: ${JSON.stringify(JSON.stringify(WORDS[3]))}\n\n`,
  'content that is an object': 'data: {"choices":[{"index":0,"delta":{"content":{"text":" three"}}}]}\n\n',
  'content that is a list of texts': 'data: {"choices":[{"index":0,"delta":{"content":[" three"]}}]}\n\n',
  'content that is a truth value': 'data: {"choices":[{"index":0,"delta":{"content":true}}]}\n\n',
  'a part whose text is an object':
    'data: {"choices":[{"index":0,"delta":{"content":[{"type":"text","text":{"value":" three"}}]}}]}\n\n',
  'reasoning that is an object': 'data: {"choices":[{"index":0,"delta":{"reasoning_content":{"text":"Hm"}}}]}\n\n',
  'calls that are no list': 'data: {"choices":[{"index":0,"delta":{"tool_calls":"f()"}}]}\n\n',
  'a call that is a text': 'data: {"choices":[{"index":0,"delta":{"tool_calls":["f()"]}}]}\n\n',
  'a function that is a text':
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":"f()"}]}}]}\n\n',
  'bytes that are not UTF-8': Buffer.from('data: {"choices":[{"index":0,"delta":{"content":" \xff"}}]}\n\n', 'latin1'),
}

const CUT_CALL = CALLS.slice(0, -2)
const CUT_ENDS: Record<string, Events> = {
  'text, and [DONE] without a finish reason': [...BEGUN, DONE],
  'text, and an empty finish reason': [...BEGUN, chunk({}, ''), DONE],
  'a call without the end of its arguments, and [DONE]': [...CUT_CALL, DONE],
  'a call without the end of its arguments, and tool_calls': [...CUT_CALL, CALLS.at(-1)!, DONE],
  'a call without the end of its arguments, and stop': [...CUT_CALL, chunk({}, 'stop'), DONE],
  'an old call without the end of its arguments': [
    ...[OPENING!, chunk({ function_call: { name: 'f', arguments: '{"a":[1,' } }), chunk({}, 'function_call'), DONE],
  ],
  'reasoning only, and [DONE]': [OPENING!, chunk({ reasoning_content: 'Hm' }), DONE],
  'an answer that was aborted': [...BEGUN, chunk({}, 'abort'), DONE],
  'an answer that ended with an internal error': [...BEGUN, chunk({}, 'internal_error'), DONE],
  'an answer that failed': [...BEGUN, chunk({}, 'failed'), DONE],
  'an answer that was interrupted': [...BEGUN, chunk({}, 'interrupted'), DONE],
  'a call whose arguments are only an opened text': [
    ...[
      OPENING!,
      chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a\\' } }] }),
    ],
    ...[chunk({}, 'tool_calls'), DONE],
  ],
}

describe('a stream that lost a part of its answer', () => {
  let gateway: GatewayUnderTest
  let provider: FakeProvider
  let chat: ChatClient
  let folder: string
  before(async () => {
    provider = await startFakeProvider({ everyPath: true })
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-config-'))
    const file = join(folder, 'gatehouse.config.json')
    const of = (more: object) => ({ dialect: 'openai', baseUrl: provider.url, ...more })
    const providers = {
      plain: of({}),
      carrying: of({ prefill: true }),
      unsaid: of({ habits: { endsWithoutReason: 'always' } }),
      calling: of({ habits: { endsWithoutReason: 'calls' } }),
      claude: of({ dialect: 'anthropic' }),
      laconic: of({ dialect: 'anthropic', habits: { endsWithoutReason: 'always' } }),
      gemini: of({ dialect: 'gemini' }),
      cohere: of({ dialect: 'cohere' }),
      bedrock: of({ dialect: 'bedrock' }),
    }
    await writeFile(file, JSON.stringify({ providers }))
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

  for (const [what, error] of Object.entries(ERRORS))
    test(`${what}, then a finish reason and [DONE]: the error`, async () => {
      provider.always(stream([...BEGUN, error, FINISH!]))
      const reply = await ask('plain')
      assertBroken(reply, 'One two')
      assert.match(reply.errors[0]!.error.message, /boom/)
    })

  for (const [what, lost] of Object.entries(LOST)) {
    test(`${what} in the place of a word: no answer that lacks the word`, async () => {
      provider.always(sendBytes([...BEGUN, lost, ...WORDS.slice(4), DONE]))
      assertBroken(await ask('plain'), 'One two')
    })

    test(`${what} in the place of a word, and a model that goes on: the whole answer`, async () => {
      provider.next(sendBytes([...BEGUN, lost, ...WORDS.slice(4), DONE]))
      provider.next(goOn)
      const reply = await ask('plain', { fallbacks: ['carrying/x'] })
      assert.deepEqual([textOf(reply), reply.done, reply.errors], ['One two three four', 1, []])
    })

    test(`${what} after the finish reason: the answer is whole`, async () => {
      provider.next(sendBytes([...WORDS, lost, DONE]))
      const reply = await ask('plain')
      assert.deepEqual([textOf(reply), reply.done, reply.errors], ['One two three four', 1, []])
    })
  }

  for (const [what, events] of Object.entries(CUT_ENDS))
    test(`${what}: not complete`, async () => {
      provider.always(sendBytes(events))
      assertBroken(await ask('plain'))
    })

  test('of two choices, one without a finish reason: not complete', async () => {
    provider.always(stream(CHOICES.slice(0, -1)))
    assertBroken(await ask('plain', { n: 2 }))
  })

  test('an end without a finish reason names the line of the config file that accepts it', async () => {
    provider.always(stream(BEGUN))
    assert.match((await ask('plain')).errors[0]!.error.message, /"habits": \{ "endsWithoutReason": "always" \}/)
    const accepted = await ask('unsaid')
    assert.deepEqual([textOf(accepted), accepted.done, reasonsOf(accepted)], ['One two', 1, ['stop']])
    assertBroken(await ask('calling'))
  })

  test('a provider that omits the reason only beside calls: whole calls are accepted, and cut ones are not', async () => {
    provider.always(stream(CALLS.slice(0, -1)))
    for (const id of ['calling', 'unsaid']) assert.deepEqual(reasonsOf(await ask(id)), ['tool_calls'])
    provider.always(stream(CUT_CALL))
    for (const id of ['calling', 'unsaid']) assertBroken(await ask(id))
  })

  test('arguments that the limit of tokens cut off are passed on', async () => {
    provider.always(stream([...CUT_CALL, chunk({}, 'length')]))
    const reply = await ask('plain')
    assert.deepEqual([reply.done, reasonsOf(reply)], [1, ['length']])
  })

  test('a broken stream is recorded as failed', async () => {
    provider.always(stream(BEGUN))
    await chat.stream({ ...HELLO, model: 'plain/recorded' })
    await gateway.gateway.context.ledger.flush()
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const response = await fetch(`${gateway.adminUrl}/admin/usage?group_by=model`, { headers })
    const { items } = (await response.json()) as { items: { group: string; failed_requests: number }[] }
    assert.equal(items.find(({ group }) => group === 'plain/recorded')?.failed_requests, 1)
  })

  test('tokens that are numbers are text, and a line of JSON without its field name is an event', async () => {
    provider.next(stream([...BEGUN, chunk({ content: 3 }), `${JSON.stringify(chunk({ content: ' 4' }))}\n\n`, FINISH!]))
    const reply = await ask('plain')
    assert.deepEqual([textOf(reply), reply.done], ['One two3 4', 1])
  })

  const OTHERS: Record<string, { model: string; whole: Events; broken: Record<string, Events> }> = {
    anthropic: claudeStreams(),
    gemini: geminiStreams(),
    cohere: cohereStreams(),
    bedrock: bedrockStreams(),
  }
  for (const [dialect, { model, whole, broken }] of Object.entries(OTHERS)) {
    test(`${dialect}: the whole stream is complete`, async () => {
      provider.always(sendBytes(whole, dialect))
      const reply = await chat.stream({ ...HELLO, model })
      assert.deepEqual([textOf(reply), reply.done, reply.errors], ['Hi there', 1, []])
    })
    for (const [what, events] of Object.entries(broken))
      test(`${dialect}: ${what}`, async () => {
        provider.always(sendBytes(events, dialect))
        assertBroken(await chat.stream({ ...HELLO, model: `${model}${asked++}` }))
      })
  }

  for (const [what, events] of Object.entries(claudeStreams().broken))
    test(`messages, unchanged: ${what}`, async () => {
      provider.always(sendBytes(events, 'anthropic'))
      const text = await post('/v3/v1/messages', { model: `claude/x${asked++}`, max_tokens: 9, ...HELLO })
      assert.match(text, /event: error|"type":"error"/)
      assert.doesNotMatch(text, /event: message_stop/)
    })

  test('the habit of a host applies to callers of its own format, and to whole answers', async () => {
    const message = { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [] } }
    const text = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'One' } }
    provider.always(sendBytes([message, text, { type: 'message_stop' }], 'anthropic'))
    const own = (model: string) => post('/v3/v1/messages', { model, max_tokens: 9, ...HELLO })
    assert.match(await own('laconic/x'), /event: message_stop/)
    assert.match(await own('claude/unsaid'), /"type":"error"/)
    const choices = [{ index: 0, message: { role: 'assistant', content: 'One' }, finish_reason: null }]
    provider.always(status(200, { id: 'x', choices }))
    const whole = await ask('unsaid')
    assert.deepEqual([whole.done, reasonsOf(whole)], [1, ['stop']])
  })

  for (const [what, events] of Object.entries(responsesStreams()))
    test(`responses, unchanged: ${what}`, async () => {
      provider.always(sendBytes(events))
      const text = await post('/v3/responses', { model: 'openai/gpt-5-pro', input: 'Hello' })
      assert.match(text, /response\.failed|"error":\{/)
      assert.ok(provider.requests.length > 0)
      assert.doesNotMatch(text, /event: response\.completed/)
    })

  test('responses, unchanged: code that a tool ran is no status of an error', async () => {
    const [start, text, , completed] = responsesStreams()['an event that is cut off'] as string[]
    const ran = named({ type: 'response.code_interpreter_call_code.done', output_index: 0, code: '500' } as never)
    provider.always(sendBytes([start!, text!, ran, completed!]))
    const reply = await post('/v3/responses', { model: 'openai/gpt-5.4-pro', input: 'Hello' })
    assert.match(reply, /event: response\.completed/)
  })

  test('ends of unfinished turns are not `stop`, and are noted, whole and streamed', async () => {
    const headers = { 'x-gatehouse-metadata': 'enabled' }
    for (const stop_reason of ['pause_turn', 'compaction']) {
      const message = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hi' }],
        stop_reason,
      }
      provider.next(status(200, message))
      const { completion } = await chat.whole({ ...HELLO, model: 'claude/x' }, { headers })
      const ended = { type: 'message_delta', delta: { stop_reason } }
      provider.next(sendBytes([...claudeStreams().whole.slice(0, -2), named(ended), named({ type: 'message_stop' })]))
      const streamed = await chat.stream({ ...HELLO, model: 'claude/x' }, { headers })
      for (const { choices, gatehouse } of [completion, streamed.chunks.at(-1)!]) {
        assert.deepEqual(
          [choices[0]!.finish_reason, (choices[0] as object as Fields).native_finish_reason],
          ['length', stop_reason],
        )
        assert.match(JSON.stringify((gatehouse as { notes: unknown }).notes), new RegExp(stop_reason))
      }
    }
  })

  async function ask(id: string, more: object = {}): Promise<StreamedReply> {
    return await chat.stream({ ...HELLO, model: `${id}/x${asked++}`, ...more })
  }

  async function post(path: string, body: object): Promise<string> {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` },
      body: JSON.stringify({ ...body, stream: true }),
    })
    return await response.text()
  }
})

type Fields = Record<string, unknown>

/** Every test asks another model, because failures in a row open the circuit of a model. */
let asked = 0

function assertBroken(reply: StreamedReply, text?: string): void {
  assert.doesNotMatch(reply.text, /left alone for a moment/)
  assert.deepEqual([reply.done, reply.errors.length], [0, 1], reply.text)
  assert.deepEqual(reasonsOf(reply).filter((reason) => reason === 'stop' || reason === 'tool_calls').length < 2, true)
  if (text !== undefined) assert.ok(text.startsWith(textOf(reply)), textOf(reply))
}

function textOf({ chunks }: StreamedReply): string {
  return chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')
}

function reasonsOf({ chunks }: StreamedReply): string[] {
  return chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason }) => finish_reason ?? []))
}

function chunk(delta: object, finish_reason: string | null = null): object {
  return { ...OPENING!, choices: [{ index: 0, delta, finish_reason, logprobs: null }] }
}

function sendBytes(events: Events, dialect = 'openai'): Behaviour {
  const type = dialect === 'bedrock' ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
  const bytes = events.map((event) => {
    if (Buffer.isBuffer(event) || event instanceof Uint8Array) return event
    return Buffer.from(typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)
  })
  return (_, response) => void response.writeHead(200, { 'content-type': type }).end(Buffer.concat(bytes))
}

/** If the words arrived in one read with what is broken, none of them was passed on, and the answer begins again. */
const goOn: Behaviour = (request, response) => {
  const { messages } = request.body as { messages: { role: string }[] }
  const isPrefilled = messages.at(-1)!.role === 'assistant'
  return stream(textEvents(isPrefilled ? ' three four' : 'One two three four'))(request, response)
}

function named(event: { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function claudeStreams() {
  const start = (id: string) =>
    named({
      type: 'message_start',
      message: { id, type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
    } as { type: string })
  const text = (piece: string) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } } as { type: string })
  const block = named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as {
    type: string
  })
  const end = (stop_reason: string | null) =>
    named({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 2 } } as { type: string })
  const stop = named({ type: 'message_stop' })
  const call = [
    named({
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
    } as { type: string }),
    named({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"city":"Be' },
    } as { type: string }),
    named({ type: 'content_block_stop', index: 1 } as { type: string }),
  ]
  const begun = [start('msg_1'), block, text('Hi')]
  const tail = [text(' there'), end('end_turn'), stop]
  return {
    model: 'claude/x',
    whole: [...begun, ...tail],
    broken: {
      'a flat error in a named event': [...begun, 'event: error\ndata: {"message":"boom"}\n\n', ...tail],
      'an error in a named event as text': [...begun, 'event: error\ndata: boom\n\n', ...tail],
      'an event that is cut off': [
        ...begun,
        'event: content_block_delta\ndata: {"type":"content_block_delta","ind\n\n',
        ...tail,
      ],
      'a piece that is no object': [
        ...begun,
        named({ type: 'content_block_delta', index: 0, delta: 'x' } as { type: string }),
        ...tail,
      ],
      'a text that is a number': [...begun, text(5 as never), ...tail],
      'a text that is an object': [...begun, text({ value: ' there' } as never), ...tail],
      'arguments that are an object': [
        ...[...begun, call[0]!],
        named({
          type: 'content_block_delta',
          index: 1,
          delta: { type: 'input_json_delta', partial_json: { city: 'Berlin' } },
        } as { type: string }),
        ...[call[2]!, end('tool_use'), stop],
      ],
      'thoughts that are a number': [
        ...begun,
        named({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 5 } } as {
          type: string
        }),
        ...tail,
      ],
      'a stop reason that says error': [...begun, end('error'), stop],
      'a failure in an event of the format': [
        ...begun,
        named({ type: 'message_error', message: 'boom' } as never),
        ...tail,
      ],
      'message_stop without a stop reason': [...begun, stop],
      'a stop reason that is null': [...begun, end(null), stop],
      'a call without the end of its arguments': [...begun, ...call, end('tool_use'), stop],
      'a second message inside of the first': [...begun, start('msg_2'), ...tail],
      'bytes that are not UTF-8': [...begun, Buffer.from(text('\xff'), 'latin1'), ...tail],
    } as Record<string, Events>,
  }
}

function geminiStreams() {
  const part = (parts: object[], finishReason?: string) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }],
  })
  const begun = [part([{ text: 'Hi' }])]
  const tail = [part([{ text: ' there' }], 'STOP')]
  const call = {
    name: 'f',
    willContinue: true,
    partialArgs: [{ jsonPath: '$.city', stringValue: 'Be', willContinue: true }],
  }
  return {
    model: 'gemini/x',
    whole: [...begun, ...tail],
    broken: {
      'a flat error': [...begun, 'data: {"message":"boom","code":503}\n\n', ...tail],
      'an error in a named event as text': [...begun, 'event: error\ndata: boom\n\n', ...tail],
      'an event that is cut off': [...begun, 'data: {"candidates":[{"content":{"par\n\n', ...tail],
      'no finish reason': begun,
      'candidates that are no list': [...begun, { candidates: { content: { parts: [{ text: ' there' }] } } }, ...tail],
      'a candidate that is a text': [...begun, { candidates: [' there'] }, ...tail],
      'content that is a text': [...begun, { candidates: [{ index: 0, content: ' there' }] }, ...tail],
      'parts that are a text': [...begun, { candidates: [{ index: 0, content: { parts: ' there' } }] }, ...tail],
      'a part that is a text': [...begun, part([' there' as never]), ...tail],
      'a text that is a number': [...begun, part([{ text: 5 }]), ...tail],
      'a call that is a text': [...begun, part([{ functionCall: 'f()' }]), ...tail],
      'a call without a name': [...begun, part([{ functionCall: { args: { a: 1 } } }]), ...tail],
      'arguments that are a text': [...begun, part([{ functionCall: { name: 'f', args: '{"a' } }]), ...tail],
      'a call without the end of its arguments': [...begun, part([{ functionCall: call }]), part([], 'STOP')],
    } as Record<string, Events>,
  }
}

function cohereStreams() {
  const text = (piece: unknown) => ({
    type: 'content-delta',
    index: 0,
    delta: { message: { content: { text: piece } } },
  })
  const end = { type: 'message-end', delta: { finish_reason: 'COMPLETE' } }
  const call = (fn: object, type: string) => ({
    type,
    index: 0,
    delta: { message: { tool_calls: { id: 'c', function: fn } } },
  })
  const begun = [{ type: 'message-start', id: 'a' }, text('Hi')]
  const tail = [text(' there'), end]
  return {
    model: 'cohere/x',
    whole: [...begun, ...tail],
    broken: {
      'a flat error': [...begun, 'data: {"message":"boom"}\n\n', ...tail],
      'an error in a named event as text': [...begun, 'event: error\ndata: boom\n\n', ...tail],
      'an event that is cut off': [...begun, 'data: {"type":"content-delta","ind\n\n', ...tail],
      'an end without a reason': [...begun, { type: 'message-end', delta: {} }],
      'a text that is a number': [...begun, text(5), ...tail],
      'a text that is an object': [...begun, text({}), ...tail],
      'a piece that is no object': [...begun, { type: 'content-delta', index: 0, delta: ' there' }, ...tail],
      'content that is a text': [
        ...begun,
        { type: 'content-delta', index: 0, delta: { message: { content: ' there' } } },
        ...tail,
      ],
      'a plan that is an object': [
        ...begun,
        { type: 'tool-plan-delta', delta: { message: { tool_plan: {} } } },
        ...tail,
      ],
      'an end with an error of another name': [
        ...begun,
        { type: 'message-end', delta: { finish_reason: 'ERROR_LIMIT' } },
      ],
      'an end that a user cancelled': [...begun, { type: 'message-end', delta: { finish_reason: 'USER_CANCEL' } }],
      'a call without the end of its arguments': [
        ...[
          ...begun,
          call({ name: 'f', arguments: '' }, 'tool-call-start'),
          call({ arguments: '{"a' }, 'tool-call-delta'),
        ],
        { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
      ],
      'a second message inside of the first': [...begun, { type: 'message-start', id: 'b' }, ...tail],
    } as Record<string, Events>,
  }
}

function bedrockStreams() {
  const text = (piece: unknown) => eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: piece } })
  const stop = (stopReason?: string) => eventFrame('messageStop', { stopReason })
  const toolUse = { toolUseId: 'c', name: 'f' }
  const begun = [eventFrame('messageStart', { role: 'assistant' }), text('Hi')]
  const tail = [text(' there'), stop('end_turn')]
  return {
    model: 'bedrock/x',
    whole: [...begun, ...tail],
    broken: {
      'a piece that is no object': [...begun, eventFrame('contentBlockDelta', { contentBlockIndex: 0 }), ...tail],
      'an end without a reason': [...begun, stop()],
      'a text that is a number': [...begun, text(5), ...tail],
      'a text that is an object': [...begun, text({ value: ' there' }), ...tail],
      'arguments that are an object': [
        ...[...begun, eventFrame('contentBlockStart', { contentBlockIndex: 1, start: { toolUse } })],
        eventFrame('contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: { a: 1 } } } }),
        stop('tool_use'),
      ],
      'output that the model malformed': [...begun, stop('malformed_model_output')],
      'a call without the end of its arguments': [
        ...[...begun, eventFrame('contentBlockStart', { contentBlockIndex: 1, start: { toolUse } })],
        eventFrame('contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"a' } } }),
        stop('tool_use'),
      ],
    } as Record<string, Events>,
  }
}

function responsesStreams(): Record<string, Events> {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', output: [] }
  const created = (id: string) =>
    named({ type: 'response.created', response: { ...response, id, status: 'in_progress' } } as { type: string })
  const text = named({ type: 'response.output_text.delta', output_index: 0, delta: 'Hi' } as { type: string })
  const completed = named({ type: 'response.completed', response } as { type: string })
  const call = [
    named({
      type: 'response.output_item.added',
      output_index: 1,
      item: { type: 'function_call', call_id: 'c', name: 'f' },
    } as { type: string }),
    named({ type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a' } as { type: string }),
  ]
  const begun = [created('resp_1'), text]
  return {
    'a flat error in a named event': [...begun, 'event: error\ndata: {"message":"boom"}\n\n', completed],
    'an error in a named event as text': [...begun, 'event: error\ndata: boom\n\n', completed],
    'a flat error object': [...begun, 'data: {"object":"error","message":"boom"}\n\n', completed],
    'an event that is cut off': [...begun, 'data: {"type":"response.output_text.del\n\n', completed],
    'a piece that is no text': [
      ...begun,
      named({ type: 'response.output_text.delta', delta: 5 } as { type: string }),
      completed,
    ],
    'a piece without text': [...begun, named({ type: 'response.output_text.delta' } as { type: string }), completed],
    'arguments that are an object': [
      ...[...begun, call[0]!],
      named({ type: 'response.function_call_arguments.delta', output_index: 1, delta: { a: 1 } } as { type: string }),
      completed,
    ],
    'a response that is no object': [
      ...begun,
      named({ type: 'response.completed', response: 'x' } as { type: string }),
    ],
    'an end with the status failed': [
      ...begun,
      named({ type: 'response.completed', response: { ...response, status: 'failed' } } as { type: string }),
    ],
    'an end with an error': [
      ...begun,
      named({ type: 'response.completed', response: { ...response, error: { message: 'boom' } } } as { type: string }),
    ],
    'a nested error': [...begun, named({ type: 'error', error: { message: 'boom' } } as { type: string }), completed],
    'a failed response': [...begun, named({ type: 'response.failed', response } as { type: string }), completed],
    'a cancelled response': [...begun, named({ type: 'response.cancelled', response } as { type: string })],
    'bytes that are not UTF-8': [...begun, Buffer.from(text.replace('Hi', '\xff'), 'latin1'), completed],
    'a call without the end of its arguments': [...begun, ...call, completed],
    'a second response inside of the first': [...begun, created('resp_2'), completed],
    'no end': [...begun],
  }
}
