import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer, type Behaviour, failure, html, redirect, status } from '../../fakes/behaviours.ts'
import { ASK } from '../../gateway/chat-client.ts'
import { FAKE_KEY, OPENAI_KEY, gatewayForAll } from '../../gateway/gateway-with-fakes.ts'

// What a caller gets when the provider refuses or fails.

const { chat, openai, fake, gateway } = await gatewayForAll()

for (const code of [400, 404, 413, 422]) {
  test(`the provider's own ${code} reaches the caller with status, message, code and param`, async () => {
    const error = {
      message: `Refused: ${code}.`,
      type: 'invalid_request_error',
      code: 'some_code',
      param: 'messages.0',
    }
    openai.always(failure(code, error))
    for (const stream of [false, true]) {
      const reply = await chat.whole({ ...ASK, stream })
      assert.equal(reply.status, code)
      assert.deepEqual(reply.failure.error, error)
    }
  })
}

for (const stream of [false, true]) {
  test(`an error too says which model was tried, and how often: stream ${stream}`, async () => {
    openai.next(failure(400))
    const { headers } = await chat.whole({ ...ASK, stream })
    const reported = ['model', 'provider', 'attempts'].map((name) => headers.get(`x-gatehouse-${name}`))
    assert.deepEqual(reported, ['openai/gpt-4o-mini', 'openai', '1'])
  })
}

const REPORTED: { upstream: number; status: number; code: string }[] = [
  { upstream: 401, status: 502, code: 'upstream_auth' },
  { upstream: 402, status: 502, code: 'upstream_auth' },
  { upstream: 403, status: 502, code: 'upstream_auth' },
  { upstream: 408, status: 504, code: 'upstream_timeout' },
  { upstream: 409, status: 502, code: 'upstream_error' },
  { upstream: 429, status: 429, code: 'rate_limited' },
  { upstream: 500, status: 502, code: 'upstream_error' },
  { upstream: 502, status: 502, code: 'upstream_error' },
  { upstream: 503, status: 503, code: 'overloaded' },
  { upstream: 504, status: 504, code: 'upstream_timeout' },
  { upstream: 529, status: 503, code: 'overloaded' },
  { upstream: 599, status: 502, code: 'upstream_error' },
]

for (const { upstream, status: reported, code } of REPORTED) {
  test(`${upstream} becomes ${reported} ${code}, whole and streamed`, async () => {
    openai.always(failure(upstream, { message: 'The dog ate it.' }))
    for (const stream of [false, true]) {
      const { status, failure } = await chat.whole({ ...ASK, stream })
      assert.deepEqual([status, failure.error.code], [reported, code])
      if (code !== 'upstream_auth') assert.equal(failure.error.message, 'openai/gpt-4o-mini: The dog ate it.')
    }
  })
}

for (const code of [401, 403]) {
  test(`a ${code} never shows the provider's words or our key`, async () => {
    openai.always(
      failure(code, {
        message: `Incorrect API key provided: ${OPENAI_KEY}. Mail admin@corp.`,
        code: 'invalid_api_key',
      }),
    )
    for (const stream of [false, true]) {
      const { text, failure } = await chat.whole({ ...ASK, stream })
      assert.ok(!text.includes('Incorrect') && !text.includes('admin@corp') && !text.includes(OPENAI_KEY))
      assert.match(failure.error.message, /OPENAI_API_KEY/)
    }
  })
}

test("a spent account at the provider is the operator's business too, although it comes as 429", async () => {
  openai.next(failure(429, { message: 'You exceeded your current quota.', code: 'insufficient_quota' }))
  const { status, failure: reported } = await chat.whole(ASK)
  assert.deepEqual([status, reported.error.code], [502, 'upstream_auth'])
})

const WAITS: [string | undefined, string][] = [
  ['7', '7'],
  [undefined, '1'],
  ['-1', '1'],
  ['1e9', '1'],
  ['nonsense', '1'],
]

for (const [value, reported] of WAITS) {
  test(`429 with Retry-After ${value} tells ${reported}`, async () => {
    openai.next(failure(429, { message: 'Slow down.' }, value === undefined ? {} : { 'retry-after': value }))
    const { status, headers } = await chat.whole(ASK)
    assert.deepEqual([status, headers.get('retry-after')], [429, reported])
  })
}

const SECRETS: Record<string, { model: string; error: object; secret: string }> = {
  'the key in the message': {
    model: 'openai/gpt-4o-mini',
    error: { message: `bad: ${OPENAI_KEY}!` },
    secret: OPENAI_KEY,
  },
  'a key of no known form': { model: 'fake/x', error: { message: `bad: ${FAKE_KEY}!` }, secret: FAKE_KEY },
  'the key in param': { model: 'openai/gpt-4o-mini', error: { message: 'bad', param: OPENAI_KEY }, secret: OPENAI_KEY },
  'the key in code': { model: 'fake/x', error: { message: 'bad', code: `denied:${FAKE_KEY}` }, secret: FAKE_KEY },
  'an address': {
    model: 'openai/gpt-4o-mini',
    error: { message: 'POST http://10.0.0.7:8080/v1/chat?key=hunter2 failed' },
    secret: '10.0.0.7',
  },
  'a key of another party': {
    model: 'openai/gpt-4o-mini',
    error: { message: 'Authorization: Bearer abc.def was refused, sk-proj-abcdefghijklmnopqrst too' },
    secret: 'abc.def',
  },
}

for (const [what, { model, error, secret }] of Object.entries(SECRETS)) {
  test(`${what} in a provider's error is hidden in the answer and in the logs`, async () => {
    for (const provider of [openai, fake]) provider.always(status(400, { error }))
    for (const stream of [false, true]) {
      const { text } = await chat.whole({ ...ASK, model, stream })
      for (const part of [secret, 'hunter2', 'sk-proj-']) assert.ok(!text.includes(part), text)
    }
    for (const provider of [openai, fake]) provider.always(status(500, { error }))
    assert.ok(!(await chat.whole({ ...ASK, model })).text.includes(secret))
    assert.ok(!gateway.logs().includes(secret))
  })
}

test('redirects are not followed, and are no answer', async () => {
  for (const code of [301, 302, 303, 307, 308]) {
    for (const stream of [false, true]) {
      openai.next(redirect(`${fake.url}/chat/completions`, code))
      const { status, failure, headers } = await chat.whole({ ...ASK, stream })
      assert.deepEqual([status, failure.error.code, headers.get('location')], [502, 'upstream_error', null])
    }
  }
  assert.equal(fake.requests.length, 0)
})

const NO_ANSWERS: Record<string, Behaviour> = {
  'HTML with status 200': html(),
  'an empty 200': status(200, ''),
  'an empty 204': status(204, ''),
  'half a document': status(200, '{"choices":[{"mess'),
  'a list': status(200, []),
  null: status(200, 'null'),
  'no choices': status(200, { choices: [] }),
  'choices that are none': status(200, { choices: [null] }),
  'a choice without a message': status(200, { choices: [{ index: 0 }] }),
  'bytes that are no text': (_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(Buffer.from([0x1f, 0x8b, 0xff]))
  },
  'an error page': html(502),
}

for (const [what, behaviour] of Object.entries(NO_ANSWERS)) {
  test(`${what} is a 502, whole and streamed`, async () => {
    openai.always(behaviour)
    for (const stream of [false, true]) {
      const { status, failure } = await chat.whole({ ...ASK, stream })
      assert.deepEqual([status, failure.error.code], [502, 'upstream_error'])
      assert.match(failure.error.message, /^openai\/gpt-4o-mini: the provider /)
    }
  })
}

const ERRORS_WITH_200: { error: unknown; status: number; code: string }[] = [
  { error: { message: 'boom' }, status: 502, code: 'upstream_error' },
  { error: 'boom', status: 502, code: 'upstream_error' },
  { error: { message: 'boom', code: 429 }, status: 429, code: 'rate_limited' },
  { error: { message: 'boom', code: 'context_length_exceeded' }, status: 400, code: 'context_length_exceeded' },
  { error: { message: 'boom', code: 0 }, status: 502, code: 'upstream_error' },
  { error: { message: 'boom', code: 1 }, status: 502, code: 'upstream_error' },
  { error: { message: 'boom', code: 200 }, status: 502, code: 'upstream_error' },
  { error: { message: 'boom', code: 307 }, status: 502, code: 'upstream_error' },
  { error: { message: 'boom', code: -400 }, status: 502, code: 'upstream_error' },
  { error: { message: 'boom', code: 400.5 }, status: 502, code: 'upstream_error' },
  { error: { message: 'boom', code: 40_001 }, status: 502, code: 'upstream_error' },
]

for (const { error, status: reported, code } of ERRORS_WITH_200) {
  test(`a 200 that holds ${JSON.stringify(error)} is ${reported} ${code}`, async () => {
    openai.always(status(200, { error }))
    for (const stream of [false, true]) {
      const { status, failure } = await chat.whole({ ...ASK, stream })
      assert.deepEqual([status, failure.error.code], [reported, code])
      assert.match(failure.error.message, /boom/)
    }
  })
}

test('"error": null beside a good answer is no error', async () => {
  openai.next(answer({ extra: { error: null } }))
  assert.equal((await chat.whole(ASK)).status, 200)
})

test('what the gateway itself refuses has one shape', async () => {
  const seen = await Promise.all([
    chat.whole(ASK, { headers: { authorization: 'Bearer nope' } }),
    chat.whole({ ...ASK, model: 'unknown/x' }),
    chat.whole(ASK, { headers: { 'content-type': 'text/plain' } }),
    chat.whole({ ...ASK, temperature: 3 }),
    chat.whole('{"model":'),
  ])
  assert.deepEqual(
    seen.map(({ status, failure }) => [status, failure.error.code]),
    [
      [401, 'invalid_api_key'],
      [404, 'model_not_found'],
      [415, 'unsupported_media_type'],
      [422, 'validation_error'],
      [422, 'validation_error'],
    ],
  )
  for (const { failure, headers } of seen) {
    assert.deepEqual(Object.keys(failure.error).sort(), ['code', 'message', 'param', 'type'])
    assert.ok(headers.get('x-request-id'))
  }
  assert.deepEqual(seen[3]!.failure.detail, [
    { loc: ['body', 'temperature'], msg: 'Input should be less than or equal to 2', type: 'less_than_equal' },
  ])
  assert.equal(seen[4]!.failure.detail?.[0]?.type, 'json_invalid')
})
