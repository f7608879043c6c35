import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  answer,
  type Behaviour,
  closeBeforeHeaders,
  emptyBody,
  failure,
  html,
  rawBytes,
  redirect,
  silence,
  status,
} from '../../fakes/behaviours.ts'
import { withEnoughTime } from '../../fakes/enough-time.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { ASK, type ErrorBody } from '../../gateway/chat-client.ts'
import { gatewayForAll } from '../../gateway/gateway-with-fakes.ts'
import { LONG_MS, openLimitedSend } from '../../gateway/limited-send.ts'

const SILENT = 'no headers in time'
let silentMs: number | undefined
const network = openLimitedSend(({ url }) =>
  silentMs && url.startsWith(openai.url) ? { headersMs: silentMs, idleMs: LONG_MS } : undefined,
)
const { chat, openai, fake, reset } = await gatewayForAll({ send: network.send })
after(network.close)

/** Answers whole or streamed, as requested. */
const GOOD: Behaviour = (request, response) => {
  const streamed = (request.body as { stream?: boolean }).stream
  return (streamed ? stream(textEvents('Hello.')) : answer())(request, response)
}

const FAULTS: Record<string, Behaviour> = {
  'RST before the headers': closeBeforeHeaders('rst'),
  'FIN before the headers': closeBeforeHeaders('fin'),
  [SILENT]: silence(),
  '401': failure(401),
  '403': failure(403),
  '404': failure(404, { code: 'model_not_found' }),
  '408': failure(408),
  '409': failure(409),
  '429': failure(429),
  '500': failure(500),
  '502': html(502),
  '503': failure(503),
  '504': failure(504),
  'garbage JSON': status(200, '{"choices":[{"mess', { 'content-type': 'application/json' }),
  'an empty body': emptyBody(),
  HTML: html(),
  'a redirect': redirect(),
  'half a body': rawBytes(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"choices":[',
  ),
  'a stream that ends at once': stream([], { end: 'clean' }),
  'an error with status 200': status(200, { error: { message: 'boom' } }),
}

for (const [fault, behaviour] of Object.entries(FAULTS)) {
  test(`${fault}: the next model answers, whole and streamed`, async () => {
    await withEnoughTime(50, async (limitMs) => {
      silentMs = fault === SILENT ? limitMs : undefined
      await reset()
      openai.always(behaviour)
      fake.always(GOOD)
      const body = { ...ASK, fallbacks: ['fake/priced', 'fake/never'] }
      const [whole, streamed] = await Promise.all([chat.whole(body), chat.stream(body)])
      assert.deepEqual([whole.status, streamed.status], [200, 200], whole.text + streamed.text)
      assert.deepEqual(
        [whole.completion.model, whole.completion.provider, whole.completion.cost],
        // The cost is that of the answer. What the other one may have written is in the ledger only.
        ['fake/priced', 'fake', 0.000033],
      )
      assert.deepEqual(new Set(streamed.chunks.map(({ model }) => model)), new Set(['fake/priced']))
      assert.deepEqual([streamed.done, streamed.chunks[0]?.provider], [1, 'fake'])
      for (const { headers } of [whole, streamed]) {
        assert.deepEqual([headers.get('x-gatehouse-model'), headers.get('x-gatehouse-attempts')], ['fake/priced', '2'])
      }
      assert.deepEqual([openai.requests.length, ...requestedModels(fake)], [2, 'priced', 'priced'])
    })
  })
}

test('a refused connection: the next model answers, whole and streamed', async () => {
  fake.always(GOOD)
  const body = { ...ASK, model: 'gone/x', fallbacks: ['fake/priced'] }
  assert.equal((await chat.whole(body)).completion.model, 'fake/priced')
  assert.equal((await chat.stream(body)).chunks[0]?.model, 'fake/priced')
  assert.deepEqual(requestedModels(fake), ['priced', 'priced'])
})

test('an answer that breaks off half way is a fault while it is whole; once it streams, only the same words help', async () => {
  openai.always((request, response) => {
    const streamed = (request.body as { stream?: boolean }).stream
    const half = streamed ? stream(textEvents('Hi').slice(0, 2), { end: 'fin' }) : FAULTS['half a body']!
    return half(request, response)
  })
  fake.always(GOOD)
  const body = { ...ASK, fallbacks: ['fake/priced'] }
  assert.equal((await chat.whole(body)).completion.model, 'fake/priced')
  fake.always(stream(textEvents('Something else')))
  const { done, errors, chunks } = await chat.stream(body)
  assert.deepEqual([done, errors.length, chunks[0]?.model], [0, 1, 'openai/gpt-4o-mini'])
  assert.deepEqual(requestedModels(fake), ['priced', 'priced'])
})

for (const failing of [1, 2, 3]) {
  test(`three fallbacks, the first ${failing} models fail: tried in order, each once`, async () => {
    openai.always(failure(500))
    for (let index = 1; index < failing; index++) fake.next(failure(503))
    fake.always(answer())
    const { status, completion, headers } = await chat.whole({
      ...ASK,
      fallbacks: ['fake/one', 'fake/two', 'fake/three'],
    })
    assert.equal(status, 200)
    const requests = ['one', 'two', 'three'].slice(0, failing)
    assert.equal(completion.model, `fake/${requests.at(-1)}`)
    assert.equal(headers.get('x-gatehouse-attempts'), String(failing + 1))
    assert.deepEqual([requestedModels(openai), requestedModels(fake)], [['gpt-4o-mini'], requests])
  })
}

test('all fail: one error with the last reason, one call per model', async () => {
  openai.always(failure(500, { message: 'first' }))
  fake.next(failure(429, { message: 'second' }, { 'retry-after': '9' }))
  fake.next(failure(503, { message: 'third' }))
  const body = { ...ASK, fallbacks: ['fake/one', 'fake/two'] }
  const whole = await chat.whole(body)
  assert.deepEqual([whole.status, whole.failure.error.code], [503, 'overloaded'])
  assert.equal(whole.failure.error.message, 'fake/two: third')
  assert.equal(whole.headers.get('x-gatehouse-attempts'), '3')
  assert.deepEqual([requestedModels(openai), requestedModels(fake)], [['gpt-4o-mini'], ['one', 'two']])
  for (const message of ['second', 'third']) fake.next(failure(429, { message }, { 'retry-after': '9' }))
  const streamed = await chat.stream(body)
  assert.deepEqual([streamed.status, streamed.headers.get('retry-after'), streamed.errors.length], [429, '9', 1])
  assert.equal(streamed.errors[0]!.error.message, 'fake/two: third')
})

const STOPPING: Record<string, { status: number; error: Partial<ErrorBody['error']> }> = {
  'a bad request': { status: 400, error: { message: 'temperature is silly', param: 'temperature' } },
  'a refusal by content policy': { status: 400, error: { message: 'no', code: 'content_policy_violation' } },
  'a body that is too large': { status: 413, error: { message: 'too large' } },
  'an unprocessable entity': { status: 422, error: { message: 'no' } },
}

for (const [what, { status, error }] of Object.entries(STOPPING)) {
  test(`${what} is the caller's own: no other model is tried`, async () => {
    openai.always(failure(status, error))
    const body = { ...ASK, fallbacks: ['fake/priced'] }
    for (const reply of [await chat.whole(body), await chat.whole({ ...body, stream: true })]) {
      assert.deepEqual([reply.status, reply.failure.error.message], [status, error.message])
    }
    assert.equal(fake.requests.length, 0)
  })
}

const TOO_LONG: Record<string, Partial<ErrorBody['error']>> = {
  'by its code': { message: 'no', code: 'context_length_exceeded' },
  'by its words': { message: "This model's maximum context length is 8192 tokens." },
  'by other words': { message: 'prompt is too long: 9000 tokens > 8192 maximum' },
}

for (const [how, error] of Object.entries(TOO_LONG)) {
  test(`a prompt that is too long, reported ${how}, goes to the next model`, async () => {
    openai.always(failure(400, error))
    assert.equal((await chat.whole({ ...ASK, fallbacks: ['fake/priced'] })).completion.model, 'fake/priced')
    assert.equal((await chat.whole(ASK)).status, 400)
  })
}

const UNUSABLE: [string, number, string][] = [
  ['unknown/x', 404, 'model_not_found'],
  ['sandbox/nope', 404, 'model_not_found'],
  ['openai/gpt-image-2', 400, 'unsupported_endpoint'],
  ['keyless/x', 424, 'provider_not_configured'],
  ['@service', 422, 'validation_error'],
  ['@unknown', 404, 'model_not_found'],
  ['', 404, 'model_not_found'],
]

for (const [model, expected, code] of UNUSABLE) {
  test(`the fallback '${model}' is refused before any call`, async () => {
    for (const stream of [false, true]) {
      const { status, failure } = await chat.whole({ ...ASK, stream, fallbacks: ['fake/priced', model] })
      assert.deepEqual([status, failure.error.code], [expected, code])
    }
    assert.deepEqual([openai.requests.length, fake.requests.length], [0, 0])
  })
}

test('none, null and three are fine; four are not', async () => {
  for (const fallbacks of [[], null, ['fake/a', 'fake/a', 'fake/a']]) {
    assert.equal((await chat.whole({ ...ASK, fallbacks })).status, 200)
  }
  const { status, failure } = await chat.whole({ ...ASK, fallbacks: ['fake/a', 'fake/b', 'fake/c', 'fake/d'] })
  assert.equal(status, 422)
  assert.deepEqual(failure.detail, [
    { loc: ['body', 'fallbacks'], msg: 'List should have at most 3 items after validation, not 4', type: 'too_long' },
  ])
})

test('the same model twice is really tried twice', async () => {
  openai.next(failure(500))
  const { completion, headers } = await chat.whole({ ...ASK, fallbacks: [ASK.model] })
  assert.deepEqual([completion.model, headers.get('x-gatehouse-attempts'), openai.requests.length], [ASK.model, '2', 2])
})

test('each target gets its own form of the body and its own key', async () => {
  openai.next(failure(500))
  await chat.whole({ ...ASK, max_tokens: 5, fallbacks: ['fake/priced'] })
  const [first, second] = [openai.requests[0]!, fake.requests[0]!]
  assert.deepEqual(first.body, { model: 'gpt-4o-mini', messages: ASK.messages, max_completion_tokens: 5 })
  assert.deepEqual(second.body, { model: 'priced', messages: ASK.messages, max_tokens: 5 })
  assert.notEqual(first.headers.authorization, second.headers.authorization)
})

function requestedModels({ requests }: typeof fake): unknown[] {
  return requests.map(({ body }) => (body as { model: unknown }).model)
}
