import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Behaviour } from '../../fakes/behaviours.ts'
import { type Events, sendBytes } from '../../fakes/broken-streams.ts'
import { interleavedChoices, textEvents, toolEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { assertBroken, reasonsOf, textOf } from './assert-broken.ts'
import { HELLO, type StreamedReply } from '../../gateway/chat-client.ts'
import { ADMIN_KEY } from '../../gateway/gateway-under-test.ts'
import { gatewayWithRows } from '../../gateway/gateway-with-rows.ts'

// Streams that look complete although a part of the answer is missing. None of them may be reported as complete: they are
// continued where that is safe, and fail otherwise.

const WORDS = textEvents('One two three four', { usage: null })
const [OPENING, ONE, TWO, , , FINISH] = WORDS
const BEGUN = [OPENING!, ONE!, TWO!]
const CALLS = toolEvents([{ id: 'call_1', name: 'weather', arguments: '{"city":"Tromsø"}' }], { usage: null })
const CHOICES = interleavedChoices(['a b', 'c d'], { usage: null })
const DONE = 'data: [DONE]\n\n'

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

const { gateway, provider, chat } = await gatewayWithRows({
  plain: { dialect: 'openai' },
  carrying: { dialect: 'openai', prefill: true },
  unsaid: { dialect: 'openai', compat: { endsWithoutReason: 'always' } },
  calling: { dialect: 'openai', compat: { endsWithoutReason: 'calls' } },
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
  assert.match((await ask('plain')).errors[0]!.error.message, /"compat": \{ "endsWithoutReason": "always" \}/)
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
  await gateway.gateway.services.calls.ledger.flush()
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

/** Every test asks another model, because failures in a row open the circuit of a model. */
let asked = 0

async function ask(id: string, more: object = {}): Promise<StreamedReply> {
  return await chat.stream({ ...HELLO, model: `${id}/x${asked++}`, ...more })
}

function chunk(delta: object, finish_reason: string | null = null): object {
  return { ...OPENING!, choices: [{ index: 0, delta, finish_reason, logprobs: null }] }
}

/** If the words arrived in one read with what is broken, none of them was passed on, and the answer begins again. */
const goOn: Behaviour = (request, response) => {
  const { messages } = request.body as { messages: { role: string }[] }
  const isPrefilled = messages.at(-1)!.role === 'assistant'
  return stream(textEvents(isPrefilled ? ' three four' : 'One two three four'))(request, response)
}
