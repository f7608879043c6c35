import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { ChatRequest } from '../../contract/chat.ts'
import { Problem } from '../../contract/problems.ts'
import { answer, failure, status } from '../../../test/fakes/behaviours.ts'
import { type GatewayUnderTest, startGateway } from '../../../test/gateway/gateway-under-test.ts'
import { type FakeProvider, startFakeProvider } from '../../../test/fakes/provider.ts'
import { SOME_USAGE } from '../../../test/fakes/openai-events.ts'
import { costOf, toTokens } from '../../money/billing/token-buckets.ts'
import { pdfSaying } from '../../translation/engines/fixtures/pdf-saying.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { checkHooks, openHooks } from './run-hooks.ts'
import { chatTargets } from '../../calls/routing/chat-targets.ts'
import { billOf } from '../../calls/upstream/chat-bill.ts'
import * as hooked from './fixtures/hooked-chat.ts'

const { BAD, OWN_USAGE, SCHEMA, ask, callOf, completion, pieces, chunk, contentOf, ticking } = hooked

let provider: FakeProvider
let gateway: GatewayUnderTest
before(async () => {
  provider = await startFakeProvider({ everyPath: true })
  gateway = await startGateway({ env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url } })
})
after(async () => {
  await gateway?.close()
  await provider?.close()
})
beforeEach(() => provider.reset())

test('without hooks there is nothing to run', () => {
  assert.equal(openHooks(ask({ pre_hooks: [], post_hooks: null }), callOf(), services()), undefined)
})

test('pre hooks run in their order, are measured, and drop the source only when they change something', async () => {
  const call = callOf()
  const clock = ticking(10)
  const request = ask({
    pre_hooks: [
      { action: 'system_prompt', params: { text: 'Mail bob@mail.example.' } },
      { action: 'redact_pii', params: { restore: true } },
      { action: 'trim_history', params: { max_tokens: 1_000 } },
    ],
  })
  const source = { text: '', outline: { members: [], odd: new Set<never>(), keys: 0, values: 1 } }
  const input = await openHooks(request, call, { ...services(), monotonic: clock })!.before({ request, source })
  assert.deepEqual(
    input.request.messages.map(({ content }) => content),
    ['Mail [EMAIL_1].', 'Write to [EMAIL_2], please.'],
  )
  assert.equal(input.source, undefined)
  assert.deepEqual(call.record.hooks, [
    { action: 'system_prompt', phase: 'pre', duration_ms: 10, changed: true },
    { action: 'redact_pii', phase: 'pre', duration_ms: 10, changed: true },
    { action: 'trim_history', phase: 'pre', duration_ms: 10, changed: false },
  ])
  const untouched = { request: ask({ pre_hooks: [{ action: 'redact_pii', params: { kinds: ['card'] } }] }), source }
  assert.equal(await openHooks(untouched.request, callOf(), services())!.before(untouched), untouched)
})

test('an invalid hook is refused before any provider is called', () => {
  const wrong: [ChatRequest, number, string][] = [
    [ask({ post_hooks: [{ action: 'rm -rf' }] }), 422, 'post_hooks.0.action'],
    [ask({ pre_hooks: [{ action: 'moderate', params: { provider: 'no-such-provider' } }] }), 404, 'pre_hooks.0'],
    [
      ask({
        post_hooks: [
          { action: 'redact_pii' },
          { action: 'translate', params: { provider: 'x', target_language: 'de' } },
        ],
      }),
      404,
      'post_hooks.1',
    ],
  ]
  for (const [request, code, param] of wrong) {
    assert.throws(
      () => checkHooks(request, callOf(), services()),
      (error) => {
        return error instanceof Problem && error.status === code && error.details.param === param
      },
    )
  }
  assert.equal(provider.requests.length, 0)
})

test('moderation by a provider: blocks the request before the model, with nothing of it in the error', async () => {
  provider.always(status(200, { results: [BAD] }))
  const call = callOf()
  const request = ask({ pre_hooks: [{ action: 'moderate', params: { provider: 'openai' } }] })
  await assert.rejects(openHooks(request, call, services())!.before({ request }), (error) => {
    return (
      error instanceof Problem &&
      error.status === 400 &&
      error.code === 'content_blocked' &&
      !error.message.includes('ada')
    )
  })
  assert.deepEqual(
    provider.requests.map(({ path }) => path),
    ['/v1/moderations'],
  )
  assert.deepEqual([call.spending.total.cost, call.record.attempts, call.record.model], [0, [], null])
})

test('if a hook’s provider fails, the call fails with its message, at the location of the hook', async () => {
  provider.always(failure(400, { message: 'Not today.', type: 'invalid_request_error' }))
  const request = ask({ pre_hooks: [{ action: 'moderate', params: { provider: 'openai' } }] })
  await assert.rejects(openHooks(request, callOf(), services())!.before({ request }), (error) => {
    return error instanceof Problem && /Not today/.test(error.message) && error.details.param === 'pre_hooks.0'
  })
})

test('a flagged request passes, and the flag is recorded', async () => {
  provider.always(status(200, { results: [BAD] }))
  const call = callOf()
  const params = { provider: 'openai', mode: 'flag' }
  const { whole } = await answered(ask({ post_hooks: [{ action: 'moderate', params }] }), 'Hi.', call)
  assert.equal(whole.choices[0]?.message.content, 'Hi.')
  assert.deepEqual(
    call.record.hooks.map(({ flagged }) => flagged),
    [['hate']],
  )
})

test('the cost of a hook’s task is added to the call, before and after the model; its tokens are not', async () => {
  provider.always(answer({ content: '{"text": "Bonjour"}' }))
  const translate = { action: 'translate', params: { provider: 'openai/gpt-5', target_language: 'fr' } }
  const { hooks, reply, call, own } = await opened(ask({ pre_hooks: [translate], post_hooks: [translate] }))
  const price = costOf(toTokens(SOME_USAGE), services().catalog.find('openai', 'gpt-5')?.price)
  assert.ok(price)
  const before = call.spending.total.cost!
  assert.ok(Math.abs(before - own.cost! - price) < 1e-12)
  const whole = await hooks.after(completion('Hello'), reply)
  assert.equal(whole.choices[0]?.message.content, 'Bonjour')
  assert.ok(Math.abs(call.spending.total.cost! - before - price) < 1e-12)
  assert.deepEqual(call.spending.total.tokens, toTokens(OWN_USAGE))
})

test('redacted before, restored after: whole, and in chunks cut anywhere', async () => {
  const hooks = { pre_hooks: [{ action: 'redact_pii', params: { restore: true } }] }
  const text = 'I wrote to [EMAIL_1]. Shall I write to [EMAIL_2] too?'
  const intended = 'I wrote to ada@mail.example. Shall I write to [EMAIL_2] too?'
  const { whole } = await answered(ask(hooks), text)
  assert.equal(whole.choices[0]?.message.content, intended)
  for (let size = 1; size < 12; size++) {
    const { chunks, call } = await streamed(ask(hooks), pieces(text, size))
    assert.equal(contentOf(chunks), intended)
    assert.deepEqual(
      call.record.hooks.map(({ action, phase }) => `${phase} ${action}`),
      ['pre redact_pii', 'post restore_pii'],
    )
  }
})

test('other hooks and their providers see placeholders only', async () => {
  provider.always(status(200, { results: [{ category_scores: {} }] }))
  const request = ask({
    pre_hooks: [
      { action: 'redact_pii', params: { restore: true } },
      { action: 'moderate', params: { provider: 'openai' } },
    ],
    post_hooks: [{ action: 'moderate', params: { provider: 'openai' } }],
  })
  const { whole } = await answered(request, 'To [EMAIL_1].')
  assert.equal(whole.choices[0]?.message.content, 'To ada@mail.example.')
  assert.deepEqual(
    provider.requests.map(({ text }) => text.includes('ada@')),
    [false, false],
  )
})

test('a stream that is blocked as a whole is blocked before its first word', async () => {
  provider.always(status(200, { results: [BAD] }))
  const hooks = await opened(ask({ post_hooks: [{ action: 'moderate', params: { provider: 'openai' } }] }))
  for (const piece of ['Some', ' words']) assert.deepEqual(hooks.stream.feed([chunk({ content: piece })]), [])
  await assert.rejects(hooks.stream.end(), { code: 'content_blocked' })
})

test('a stream that is blocked on the way has said nothing of what was blocked', async () => {
  const hooks = await opened(ask({ post_hooks: [{ action: 'block_patterns', params: { words: ['secret'] } }] }))
  assert.equal(contentOf(hooks.stream.feed([chunk({ content: 'It is a sec' })])), 'It is a ')
  assert.throws(() => hooks.stream.feed([chunk({ content: 'ret!' })]), { code: 'content_blocked' })
})

test('json_heal asks the same model once more if that is enabled; both answers are paid', async () => {
  provider.always(answer({ content: '{"n": 2}' }))
  const request = ask({ post_hooks: [{ action: 'json_heal', params: { json_schema: SCHEMA, retry: true } }] })
  const call = callOf()
  const { whole } = await answered(request, 'two', call)
  assert.equal(whole.choices[0]?.message.content, '{"n": 2}')
  const [again, ...more] = provider.requests
  assert.deepEqual([more.length, (again!.body as ChatRequest).messages.length], [0, 3])
  const { tokens } = call.spending.total
  assert.deepEqual([tokens?.plainInput, tokens?.plainOutput, call.record.attempts.length], [9 + 1, 12 + 1, 0])
})

test('json_heal: a model that cannot be asked again leaves the error about its answer', async () => {
  provider.always(failure(400, { message: 'No.' }))
  const request = ask({ post_hooks: [{ action: 'json_heal', params: { json_schema: SCHEMA, retry: true } }] })
  await assert.rejects(answered(request, 'two'), /not the requested JSON/)
})

test('json_heal: a very long answer is not sent back to the model', async () => {
  provider.always(answer({ content: '{"n": 2}' }))
  const request = ask({ post_hooks: [{ action: 'json_heal', params: { json_schema: SCHEMA, retry: true } }] })
  await assert.rejects(answered(request, 'two '.repeat(50_001)), /not the requested JSON/)
  assert.equal(provider.requests.length, 0)
})

test('in a stream the time of every hook comes with the last chunk, and only to those who ask', async () => {
  const request = ask({
    post_hooks: [{ action: 'block_patterns', params: { words: ['x'], mode: 'flag' } }, { action: 'redact_pii' }],
  })
  const call = callOf({ wantsMetadata: true })
  const { chunks } = await streamed(request, ['an x ', 'for bob@mail.example'], call, ticking(1))
  assert.equal(contentOf(chunks), 'an x for [EMAIL_1]')
  const [last, ...others] = chunks.toReversed()
  assert.ok(others.every(({ gatehouse }) => gatehouse === undefined))
  assert.equal(last?.choices[0]?.finish_reason, 'stop')
  assert.deepEqual(last?.gatehouse?.hooks, call.record.hooks)
  assert.deepEqual(
    call.record.hooks.map(({ action, changed, flagged }) => ({ action, changed, flagged })),
    [
      { action: 'block_patterns', changed: false, flagged: ['word 0'] },
      { action: 'redact_pii', changed: true, flagged: undefined },
    ],
  )
  assert.ok(call.record.hooks.every(({ duration_ms }) => duration_ms >= 4))
  const silent = await streamed(request, ['y'])
  assert.ok(silent.chunks.every(({ gatehouse }) => gatehouse === undefined))
})

test('one answer of several may end long before the others: only what may be the last chunk waits for the end', async () => {
  const request = ask({ post_hooks: [{ action: 'block_patterns', params: { words: ['x'], mode: 'flag' } }] })
  const { stream, call } = await opened(request, callOf({ wantsMetadata: true }))
  const second = (content: string) => ({
    ...chunk({}),
    choices: [{ index: 1, delta: { content }, finish_reason: null }],
  })
  const passed = [...stream.feed([chunk({ content: 'a' })]), ...stream.feed([chunk({}, 'stop'), second('b')])]
  for (let at = 0; at < 1_000; at++) passed.push(...stream.feed([second('c'), second('d')]))
  assert.equal(passed.length, 2_002)
  const [last, ...others] = await stream.end()
  assert.deepEqual([last?.choices[0]?.delta.content, last?.gatehouse?.hooks, others], ['d', call.record.hooks, []])
  assert.ok(call.record.hooks.length === 1 && passed.every(({ gatehouse }) => gatehouse === undefined))
})

test('the text of a PDF takes its place; one without text, or damaged, is refused where it stands', async () => {
  const { messages } = await readInPlace(pdfSaying(['Hello there', 'and again'], ['Page two']))
  assert.deepEqual(messages[0]?.content, [{ type: 'text', text: 'Hello there\nand again\n\nPage two' }])
  for (const [bytes, words] of [
    [pdfSaying([]), /contains no text/],
    [new TextEncoder().encode('%PDF-1.7'), /damaged/],
  ] as const) {
    await assert.rejects(readInPlace(bytes), (error) => {
      assert.ok(error instanceof Problem)
      assert.match(error.message, words)
      return error.status === 422 && error.details.param === 'messages.0.content.0.file'
    })
  }
})

async function readInPlace(bytes: Uint8Array): Promise<ChatRequest> {
  const content = [{ type: 'file' as const, file: { file_data: Buffer.from(bytes).toString('base64') } }]
  const messages = [{ role: 'user' as const, content }]
  const request = { ...ask({ pre_hooks: [{ action: 'pdf_text_extract' }] }), messages }
  return (await openHooks(request, callOf(), services())!.before({ request })).request
}

function services(): CallServices {
  return gateway.gateway.services.calls
}

/** Opens and runs the hooks of a request, like chat.ts does. */
async function opened(request: ChatRequest, call = callOf(), monotonic = services().monotonic) {
  const harness = { ...services(), monotonic }
  const hooks = openHooks(request, call, harness)!
  const input = await hooks.before({ request })
  const asking = { caller: call.caller, isCustomized: () => false, routed: () => {} }
  const [target] = chatTargets(request, asking, harness)
  const own = billOf({ call, target: target!, services: services() }, request, { usage: OWN_USAGE, chars: 0 })
  call.spending.order({ model: target!, attempt: Symbol(), likelyBill: () => undefined }).delivered(own)
  const reply = { target: target!, input }
  return { hooks, reply, call, own, stream: hooks.stream(reply) }
}

async function answered(request: ChatRequest, content: string, call = callOf()) {
  const { hooks, reply } = await opened(request, call)
  return { whole: await hooks.after(completion(content), reply) }
}

async function streamed(request: ChatRequest, parts: string[], options = callOf(), monotonic = services().monotonic) {
  const { stream, call } = await opened(request, options, monotonic)
  const chunks = stream.feed([chunk({ role: 'assistant', content: '' })])
  for (const part of parts) chunks.push(...stream.feed([chunk({ content: part })]))
  chunks.push(...stream.feed([chunk({}, 'stop')]), ...(await stream.end()))
  return { chunks, call }
}
