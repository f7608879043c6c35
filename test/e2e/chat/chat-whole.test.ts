import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer, failure, status } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { ASK, HELLO } from '../../gateway/chat-client.ts'
import { gatewayForAll } from '../../gateway/gateway-with-fakes.ts'

const setup = await gatewayForAll()
const { chat, openai, fake, gateway } = setup

const CACHED_USAGE = {
  prompt_tokens: 1_000,
  completion_tokens: 200,
  total_tokens: 1_200,
  prompt_tokens_details: { cached_tokens: 400, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 50, audio_tokens: 0 },
}

test("the answer is the provider's, under our name of the model, with cost and provider", async () => {
  const { status, headers, completion } = await chat.whole(ASK)
  assert.equal(status, 200)
  assert.deepEqual(completion, {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_750_000_000,
    model: 'openai/gpt-4o-mini',
    system_fingerprint: 'fp_fake',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello.', refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
    // 9 × 0.15 + 12 × 0.60 USD per million.
    cost: 0.00000855,
    provider: 'openai',
  })
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.match(headers.get('x-request-id') ?? '', /^req_/)
  assert.equal(headers.get('x-gatehouse-model'), 'openai/gpt-4o-mini')
  assert.equal(headers.get('x-gatehouse-provider'), 'openai')
  assert.equal(headers.get('x-gatehouse-attempts'), '1')
  assert.equal(Number(headers.get('x-gatehouse-cost')), 0.00000855)
})

const PRICED: { what: string; model: string; usage?: object; extra?: object; cost: number | null }[] = [
  { what: 'cached tokens at their own price', model: 'openai/gpt-4o-mini', usage: CACHED_USAGE, cost: 0.00024 },
  { what: 'a long prompt in the dearer tier', model: 'openai/gpt-5.4', usage: tokens(300_000, 1_000), cost: 1.5225 },
  { what: 'a prompt at the very border of the tier', model: 'openai/gpt-5.4', usage: tokens(272_000, 0), cost: 0.68 },
  {
    what: 'flex at half',
    model: 'openai/o3',
    usage: tokens(1_000, 100),
    extra: { service_tier: 'flex' },
    cost: 0.0014,
  },
  {
    what: 'priority, which is dearer',
    model: 'openai/o3',
    usage: tokens(1_000, 100),
    extra: { service_tier: 'priority' },
    cost: 0.0049,
  },
  { what: 'a tier without a price', model: 'openai/o3', extra: { service_tier: 'scale' }, cost: null },
  { what: 'a model that the catalog does not know', model: 'openai/tomorrows-model', cost: null },
  { what: 'a model priced in the config file', model: 'fake/priced', usage: tokens(1_000, 500), cost: 0.002 },
  {
    what: 'audio without a price',
    model: 'openai/gpt-4o',
    usage: { ...tokens(9, 9), prompt_tokens_details: { audio_tokens: 5 } },
    cost: null,
  },
  { what: 'the sandbox', model: 'sandbox/echo', cost: 0 },
]

for (const { what, model, usage, extra, cost } of PRICED) {
  test(`cost of ${what}: ${cost}`, async () => {
    for (const provider of [openai, fake]) provider.always(answer({ extra: { ...(usage && { usage }), ...extra } }))
    const { status, headers, completion } = await chat.whole({ model, ...HELLO })
    assert.equal(status, 200)
    assert.equal(completion.cost, cost)
    assert.equal(completion.provider, model.split('/')[0])
    assert.equal(headers.get('x-gatehouse-cost'), cost === null ? null : String(cost))
  })
}

test('the sandbox costs nothing, whatever tools of a provider it is offered', async () => {
  for (const asked of [{ web_search_options: {} }, { extra_body: { tools: [{ type: 'code_interpreter' }] } }]) {
    const { status, completion } = await chat.whole({ model: 'sandbox/echo', ...HELLO, ...asked })
    assert.deepEqual([status, completion.cost], [200, 0], JSON.stringify(asked))
  }
})

for (const usage of [undefined, null, {}, { prompt_tokens: '9' }, 5]) {
  test(`an answer whose usage is ${JSON.stringify(usage)} gets an estimate that says so, and no cost`, async () => {
    openai.next(answer({ content: 'x'.repeat(40), usage: null, extra: { usage } }))
    const { completion, headers } = await chat.whole(ASK, { headers: { 'x-gatehouse-metadata': 'enabled' } })
    const { prompt_tokens, ...counts } = completion.usage!
    assert.ok(prompt_tokens > 0)
    assert.deepEqual(counts, { completion_tokens: 10, total_tokens: prompt_tokens + 10, estimated: true })
    assert.deepEqual([completion.cost, headers.get('x-gatehouse-cost')], [null, null])
    assert.equal((completion.gatehouse as { usage_estimated?: boolean }).usage_estimated, true)
  })
}

test('one JSON log line has caller, model, outcome, duration and usage', async () => {
  openai.next(answer())
  openai.next(stream(textEvents('Hi')))
  for (const { headers } of [await chat.whole(ASK), await chat.stream(ASK)]) {
    await setup.idle()
    const lines = gateway.logs().trim().split('\n')
    const line = lines.map((text) => JSON.parse(text)).filter((one) => one.request_id === headers.get('x-request-id'))
    assert.equal(line.length, 1)
    const { time, duration_ms, first_token_ms, ...rest } = line[0]
    assert.equal(new Date(time).toISOString(), time)
    for (const number of [duration_ms, ...(rest.stream ? [first_token_ms] : [])]) assert.equal(typeof number, 'number')
    assert.deepEqual(rest, {
      level: 'info',
      request_id: headers.get('x-request-id'),
      endpoint: 'POST /v3/chat/completions',
      status: 200,
      key_id: 'env-live',
      model: 'openai/gpt-4o-mini',
      provider: 'openai',
      attempts: 1,
      stream: rest.stream,
      prompt_tokens: 9,
      completion_tokens: 12,
      cost: 0.00000855,
      project: 'default',
      ...(!rest.stream && { upstream_ids: ['req_fake'] }),
    })
  }
})

test('x-gatehouse-metadata: attempts, notes, timings; absent unless asked for', async () => {
  openai.next(failure(500))
  const body = { ...ASK, fallbacks: ['fake/priced'], reasoning_effort: 'disable' }
  const { completion } = await chat.whole(body, { headers: { 'x-gatehouse-metadata': 'Enabled' } })
  const { attempts, notes, hooks, timings } = completion.gatehouse as Record<string, object[]>
  assert.deepEqual(
    attempts?.map(({ duration_ms, ...attempt }: { duration_ms?: number }) => [attempt, typeof duration_ms]),
    [
      [{ model: 'openai/gpt-4o-mini', provider: 'openai', outcome: 'server_error' }, 'number'],
      [{ model: 'fake/priced', provider: 'fake', outcome: 'answered' }, 'number'],
    ],
  )
  assert.deepEqual(
    (notes as { field: string }[]).map(({ field }) => field),
    ['reasoning_effort'],
  )
  assert.deepEqual(hooks, [])
  assert.equal(typeof (timings as unknown as { total_ms: number }).total_ms, 'number')
  assert.equal('gatehouse' in (await chat.whole(ASK)).completion, false)
})

test('what the provider leaves out is filled in; what it adds is kept', async () => {
  const choice = {
    index: 0,
    message: { role: 'assistant', content: 'x', annotations: [{ type: 'url_citation' }] },
    finish_reason: 'stop',
  }
  openai.next(status(200, { choices: [choice], citations: ['a'] }))
  const { completion } = await chat.whole(ASK)
  assert.match(completion.id, /^chatcmpl-./)
  assert.ok(Number.isInteger(completion.created))
  assert.equal(completion.object, 'chat.completion')
  assert.deepEqual((completion as { citations?: unknown }).citations, ['a'])
  assert.deepEqual(completion.choices[0]?.message.annotations, [{ type: 'url_citation' }])
})

test('an empty list of tool calls is no list: agents take it for calls', async () => {
  openai.next(answer({ message: { tool_calls: [] } }))
  const { completion } = await chat.whole(ASK)
  assert.equal('tool_calls' in completion.choices[0]!.message, false)
})

test('tool calls, refusals and reasoning arrive as they were', async () => {
  const message = {
    content: null,
    refusal: 'No.',
    reasoning_content: 'Hm.',
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } }],
  }
  openai.next(answer({ message }))
  const { completion } = await chat.whole(ASK)
  assert.deepEqual(completion.choices[0]!.message, { role: 'assistant', annotations: [], ...message })
})

const REFUSED: { what: string; body: object; status: number; code: string; message: RegExp }[] = [
  {
    what: 'an image model',
    body: { model: 'openai/gpt-image-2' },
    status: 400,
    code: 'unsupported_endpoint',
    message: /^Model\(s\) do not support the chat completions endpoint: 'openai\/gpt-image-2'/,
  },
  {
    what: 'a model of another endpoint',
    body: { model: 'openai/text-embedding-3-small' },
    status: 400,
    code: 'unsupported_endpoint',
    message:
      /do not support the chat completions endpoint: 'openai\/text-embedding-3-small' \(supports: \/embeddings\)/,
  },
  {
    what: 'an unknown provider',
    body: { model: 'unknown/x' },
    status: 404,
    code: 'model_not_found',
    message: /'unknown\/x'/,
  },
  {
    what: 'a provider of the prototype',
    body: { model: 'constructor/x' },
    status: 404,
    code: 'model_not_found',
    message: /'constructor\/x'/,
  },
  {
    what: 'a name that no provider has',
    body: { model: 'gpt-none' },
    status: 404,
    code: 'model_not_found',
    message: /provider\/model/,
  },
  { what: 'no model', body: { model: 'openai/' }, status: 404, code: 'model_not_found', message: /'openai\/'/ },
  {
    what: 'an unknown sandbox model',
    body: { model: 'sandbox/nope' },
    status: 404,
    code: 'model_not_found',
    message: /'sandbox\/nope'/,
  },
  {
    what: 'a provider without a key',
    body: { model: 'keyless/x' },
    status: 424,
    code: 'provider_not_configured',
    message: /KEYLESS_API_KEY/,
  },
  { what: 'an unknown router', body: { model: '@unknown' }, status: 404, code: 'model_not_found', message: /@service/ },
  {
    what: 'an image model as a fallback',
    body: { fallbacks: ['openai/gpt-image-2'] },
    status: 400,
    code: 'unsupported_endpoint',
    message: /gpt-image-2/,
  },
]

for (const { what, body, status: expected, code, message } of REFUSED) {
  test(`${what}: ${expected} ${code}, whole and streamed, and no provider is called`, async () => {
    for (const stream of [false, true]) {
      const { status, failure, headers } = await chat.whole({ ...ASK, ...body, stream })
      assert.deepEqual([status, failure.error.code, failure.error.param], [expected, code, 'model'])
      assert.match(failure.error.message, message)
      assert.ok(headers.get('x-request-id'))
    }
    assert.deepEqual([openai.requests.length, fake.requests.length], [0, 0])
  })
}

test('hooks: an unknown action is refused where it stands', async () => {
  const { status, failure } = await chat.whole({ ...ASK, pre_hooks: [], post_hooks: [{ action: 'rm -rf' }] })
  assert.equal(status, 422)
  assert.deepEqual(
    failure.detail?.map(({ loc }) => loc),
    [['body', 'post_hooks', 0, 'action']],
  )
  assert.equal(failure.error.code, 'validation_error')
  assert.equal(openai.requests.length, 0)
})

test('a name of a model that is no valid Unicode does not break the answer', async () => {
  openai.next(answer())
  const { status } = await chat.whole(`{"model":"openai/\\ud800","messages":[{"role":"user","content":"Hi"}]}`)
  assert.equal(status, 200)
})

function tokens(prompt_tokens: number, completion_tokens: number) {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
