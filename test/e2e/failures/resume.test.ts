import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { RequestRecord } from '../../../src/contract/admin/requests.ts'
import type { ChatChunk } from '../../../src/contract/chat-reply.ts'
import { RetryBudget } from '../../../src/calls/attempts/retry-budget.ts'
import { type Behaviour, failure } from '../../fakes/behaviours.ts'
import { foldChunks } from '../../fakes/fold-chunks.ts'
import { interleavedChoices, reasoningEvents, textEvents, toolEvents } from '../../fakes/openai-events.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { openGateway } from '../../rehearse/open-gateway.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { ADMIN_KEY } from '../../gateway/gateway-under-test.ts'

// A stream that breaks after its first words is continued only if a client could not distinguish it from an unbroken one.

const TEXT = 'One two three four five six.'
const ASK = { ...HELLO, model: 'first/x', fallbacks: ['second/y'] }
const NEVER = new Promise<void>(() => {})

const [first, second] = [await startFakeProvider(), await startFakeProvider()]
const gateway = await openGateway({
  config: {
    providers: {
      first: { dialect: 'openai', baseUrl: first.url },
      second: { dialect: 'openai', baseUrl: second.url },
      carrying: { dialect: 'openai', baseUrl: second.url, prefill: true },
    },
  },
  overrides: { retries: new RetryBudget({ toBeginWith: 1_000 }) },
})
after(async () => {
  await Promise.all([first.close(), second.close()])
  await gateway.close()
})
beforeEach(() => {
  first.reset()
  second.reset()
})

const WAYS: Record<string, Behaviour> = {
  'word by word': stream(textEvents(TEXT)),
  'in one packet': stream(textEvents(TEXT), { chunking: 'whole' }),
  'byte by byte': stream(textEvents(TEXT), { chunking: 7 }),
  'in one word': stream(wordEvents([TEXT])),
  'letter by letter': stream(wordEvents([...TEXT])),
  'after other thoughts': stream(reasoningEvents('Let me think again.', TEXT)),
}

for (const [way, behaviour] of Object.entries(WAYS)) {
  test(`the same words, ${way}: one answer without a seam`, async () => {
    first.next(broken(3))
    second.next(behaviour)
    const { chunks, errors, done } = await gateway.chat.stream(ASK)
    assert.deepEqual([textOf(chunks), errors, done], [TEXT, [], 1])
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1)
    assert.deepEqual(chunks.filter(({ choices }) => choices[0]?.delta.role).length, 1)
    assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'stop')
    assert.deepEqual([chunks[0]?.model, chunks.at(-1)?.model], ['first/x', 'second/y'])
  })
}

test('a fallback that takes a beginning gets the words that were sent, and nothing else is changed', async () => {
  first.next(broken(3))
  second.next(stream(textEvents(' four five six.')))
  const { chunks, done } = await gateway.chat.stream({
    ...ASK,
    fallbacks: ['carrying/y'],
    temperature: 0.5,
    user: 'me',
    max_completion_tokens: 20,
  })
  assert.deepEqual([textOf(chunks), done], [TEXT, 1])
  const { messages, temperature, user, model, ...sent } = second.requests[0]!.body as Record<string, unknown>
  assert.deepEqual([model, temperature, user], ['y', 0.5, 'me'])
  // What the first target wrote, 14 characters, counts towards the cap.
  assert.equal(sent.max_completion_tokens, 16)
  assert.deepEqual(messages, [...HELLO.messages, { role: 'assistant', content: 'One two three' }])
})

for (const continued of ['\n\nfour', 'four']) {
  test(`blanks at the break are not sent along, and not doubled when ${JSON.stringify(continued)} comes`, async () => {
    first.next(stream(wordEvents(['One', '\n\n']).slice(0, 3), { end: 'fin' }))
    second.next(stream(wordEvents([continued])))
    const { chunks, done } = await gateway.chat.stream({ ...ASK, fallbacks: ['carrying/y'] })
    assert.deepEqual([textOf(chunks), done], ['One\n\nfour', 1])
    const { messages } = second.requests[0]!.body as { messages: object[] }
    assert.deepEqual(messages.at(-1), { role: 'assistant', content: 'One' })
  })
}

test('usage is requested once and covers both parts, marked as an estimate', async () => {
  first.next(broken(3))
  second.next(stream(textEvents(TEXT)))
  const { chunks } = await gateway.chat.stream({ ...ASK, stream_options: { include_usage: true } })
  const last = chunks.at(-1) as ChatChunk & { usage: { completion_tokens: number; estimated: boolean } }
  assert.deepEqual([last.choices, last.usage.estimated], [[], true])
  assert.ok(last.usage.completion_tokens > 12)
  assert.equal(chunks.filter(({ usage }) => usage).length, 1)
})

const HOPELESS: Record<string, { behaviour: Behaviour; more?: object }> = {
  'a tool call': {
    behaviour: stream(toolEvents([{ id: 'call_1', name: 'f', arguments: '{"a":1}' }]).slice(0, 3), { end: 'fin' }),
  },
  'two choices': { behaviour: stream(interleavedChoices(['a b', 'c d']).slice(0, 4), { end: 'fin' }), more: { n: 2 } },
  'log probabilities': { behaviour: broken(3), more: { logprobs: true } },
}

for (const [what, { behaviour, more }] of Object.entries(HOPELESS)) {
  test(`${what}: no other model continues, and the failure is reported once`, async () => {
    first.next(behaviour)
    const { errors, done } = await gateway.chat.stream({ ...ASK, ...more })
    assert.deepEqual([errors.length, errors[0]?.error.code, done], [1, 'upstream_error', 0])
    assert.deepEqual([first.requests.length, second.requests.length], [1, 0])
  })
}

const OTHERWISE: Record<string, Behaviour> = {
  'other words': stream(textEvents('Something else.')),
  'the same words and then others, too early': stream(textEvents('One two THREE four')),
  'fewer words': stream(textEvents('One')),
  nothing: stream(textEvents('')),
  'an error': failure(400, { message: 'secret reason of the second' }),
  'an error in its stream': stream([{ error: { message: 'secret reason of the second' } }]),
  'half of it, and another break': broken(1),
}

test('an attempt whose answer was of no use is among the attempts, and is paid for', async () => {
  first.next(broken(3))
  second.next(stream(textEvents('Something else.')))
  second.next(stream(textEvents(TEXT)))
  const body = { ...ASK, fallbacks: ['second/y', 'second/z'] }
  await gateway.chat.stream(body)
  const { attempts, attempt_list, completion_tokens } = await latestRecord()
  const outcomes = attempt_list.map(({ model, outcome, reason }) => [model, outcome, reason])
  assert.deepEqual([attempts, outcomes.map(([model]) => model)], [3, ['first/x', 'second/y', 'second/z']])
  assert.deepEqual(
    outcomes.slice(1).map(([, outcome]) => outcome),
    ['abandoned', 'answered'],
  )
  assert.match(String(outcomes[1]![2]), /does not begin with the words/)
  assert.ok(completion_tokens > 12, 'the answer alone has twelve')
  const told = gateway.gateway.gateway.services.calls.metrics.write()
  assert.match(told, /gatehouse_attempts_total\{provider="second",outcome="abandoned"\} [1-9]/)
})

for (const [what, behaviour] of Object.entries(OTHERWISE)) {
  test(`the fallback says ${what}: the first failure is reported, once, and not the second`, async () => {
    first.next(broken(3))
    second.always(behaviour)
    const { chunks, errors, done, text } = await gateway.chat.stream(ASK)
    assert.deepEqual([textOf(chunks), errors.length, done], ['One two three', 1, 0])
    assert.match(errors[0]!.error.message, /^first\/x: /)
    assert.doesNotMatch(text, /secret reason/)
    assert.deepEqual([first.requests.length, second.requests.length], [1, 1])
  })
}

test('a model that is named again and breaks again is tried as often as it is named, and no more', async () => {
  first.always(broken(3))
  const { errors, done } = await gateway.chat.stream({ ...ASK, fallbacks: [ASK.model, ASK.model] })
  assert.deepEqual([errors.length, done, first.requests.length], [1, 0, 3])
})

test('words that come in one packet with the error after them are not lost', async () => {
  const [opening, one, ...more] = textEvents(TEXT).map((event) => `data: ${JSON.stringify(event)}\n\n`)
  const error = `data: ${JSON.stringify({ error: { message: 'boom', type: 'server_error' } })}\n\n`
  first.next(stream([opening! + one!, more[0]! + more[1]! + error]))
  second.next(stream(textEvents(TEXT)))
  const { chunks, errors, done } = await gateway.chat.stream(ASK)
  assert.deepEqual([textOf(chunks), errors, done], [TEXT, [], 1])
})

test('one says something else, the next goes on', async () => {
  first.next(broken(3))
  second.next(stream(textEvents('Something else.')))
  second.next(stream(textEvents(TEXT)))
  const { chunks, done } = await gateway.chat.stream({ ...ASK, fallbacks: ['second/y', 'second/z'] })
  assert.deepEqual([textOf(chunks), done, chunks.at(-1)?.model], [TEXT, 1, 'second/z'])
})

test('a stream with only a role has sent nothing: the fallback answers as if it had been first', async () => {
  first.next(stream(textEvents(TEXT).slice(0, 1), { end: 'fin' }))
  second.next(stream(textEvents('Another answer.')))
  const { chunks, done, errors } = await gateway.chat.stream(ASK)
  assert.deepEqual([textOf(chunks), done, errors], ['Another answer.', 1, []])
})

test('a fallback that fails is passed over for the next one', async () => {
  first.next(broken(3))
  second.next(failure(500))
  second.next(stream(textEvents(TEXT)))
  const { chunks, done } = await gateway.chat.stream({ ...ASK, fallbacks: ['second/y', 'second/z'] })
  assert.deepEqual([textOf(chunks), done, chunks.at(-1)?.model], [TEXT, 1, 'second/z'])
})

test('a second break is continued by the third model', async () => {
  first.next(broken(2))
  second.next(broken(4))
  second.next(stream(textEvents(TEXT)))
  const { chunks, done } = await gateway.chat.stream({ ...ASK, fallbacks: ['second/y', 'second/z'] })
  assert.deepEqual([textOf(chunks), done], [TEXT, 1])
  assert.deepEqual([...new Set(chunks.map(({ model }) => model))], ['first/x', 'second/y', 'second/z'])
})

test('without a fallback the same model is tried once more, and only once', async () => {
  first.next(broken(3))
  first.next(stream(textEvents(TEXT)))
  const { chunks, done } = await gateway.chat.stream({ ...ASK, fallbacks: [] })
  assert.deepEqual([foldChunks(chunks).model, textOf(chunks), done], ['first/x', TEXT, 1])
  first.reset()
  first.always(broken(3))
  assert.equal((await gateway.chat.stream({ ...ASK, fallbacks: [] })).errors.length, 1)
  assert.equal(first.requests.length, 2)
})

test('a caller that leaves while another model catches up: that call is aborted', async () => {
  first.next(broken(3))
  second.next(stream(textEvents(TEXT).slice(0, 2), { end: 'clean', waitFor: NEVER, waitAfter: 2 }))
  const leave = new AbortController()
  const reply = gateway.chat.stream(ASK, { signal: leave.signal })
  const { closed } = await second.request(0)
  leave.abort()
  await assert.rejects(reply, { name: 'AbortError' })
  assert.equal(await closed, true)
  await gateway.idle()
})

test('one that says otherwise and talks on is hung up on', async () => {
  first.next(broken(3))
  second.next(stream(textEvents('Something else'), { waitFor: NEVER, waitAfter: 3, end: 'clean' }))
  assert.equal((await gateway.chat.stream(ASK)).errors.length, 1)
  assert.equal(await second.requests[0]!.closed, true)
})

test('a break after the finish reason takes nothing away', async () => {
  first.next(stream(textEvents(TEXT, { usage: null }), { end: 'fin' }))
  const { chunks, done } = await gateway.chat.stream(ASK)
  assert.deepEqual([textOf(chunks), done, second.requests.length], [TEXT, 1, 0])
})

test('a broken stream whose bill cannot be made ends: its client is told, and its line is in the ledger', async (t) => {
  const { calls } = gateway.gateway.gateway.services
  // Once for what was seen of the answer, and once more when the call ends; then what it costs to leave it is asked for.
  let failures = 2
  const { observations } = calls
  const speed = observations.fastestOf.bind(observations)
  t.mock.method(observations, 'fastestOf', (target: string) => {
    if (failures-- > 0) throw new Error('no speed today')
    return speed(target)
  })
  first.next(stream(textEvents(TEXT).slice(0, 3), { end: 'fin' }))
  const { errors, done } = await gateway.chat.stream({ ...ASK, fallbacks: [] })
  assert.deepEqual([errors.length, errors[0]?.error.code, done], [1, 'internal_error', 0])
  const { status, code, estimated } = await latestRecord()
  assert.deepEqual([status, code, estimated], [500, 'internal_error', true])
  assert.match(gateway.gateway.logs(), /unexpected error.*no speed today|no speed today.*unexpected error/)
})

async function latestRecord(): Promise<RequestRecord> {
  await gateway.idle()
  await gateway.gateway.gateway.services.calls.ledger.flush()
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    return await (await fetch(`${gateway.gateway.adminUrl}/admin/requests${path}`, { headers })).json()
  }
  const { items } = (await read('?limit=1')) as { items: RequestRecord[] }
  return (await read(`/${encodeURIComponent(items[0]!.id)}`)) as RequestRecord
}

/** The first chunk and this many words, then the connection breaks. */
function broken(words: number): Behaviour {
  return stream(textEvents(TEXT).slice(0, words + 1), { end: 'fin' })
}

/** Uses the pieces as they are; `textEvents` would split them into words. */
function wordEvents(pieces: string[]) {
  const [opening, ...rest] = textEvents('x')
  const piece = (content: string) => {
    const [, one] = textEvents('x')
    return { ...one!, choices: [{ ...one!.choices[0]!, delta: { content } }] }
  }
  return [opening!, ...pieces.map(piece), ...rest.slice(1)]
}

function textOf(chunks: ChatChunk[]): string {
  return chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')
}
