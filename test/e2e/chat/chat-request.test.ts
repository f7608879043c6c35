import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { ASK } from '../../gateway/chat-client.ts'
import { OPENAI_KEY, gatewayForAll } from '../../gateway/gateway-with-fakes.ts'

// What a provider receives of a caller's body.

const { chat, openai, fake } = await gatewayForAll()

type Fields = Record<string, unknown>

test("the provider gets its own name of the model, our key, and nothing of the caller's headers", async () => {
  await chat.whole(ASK, {
    headers: { 'x-stainless-lang': 'js', 'openai-organization': 'org', cookie: 'a=b', 'x-api-key': 'mine' },
  })
  const { path, headers, body } = await openai.request(0)
  assert.equal(path, '/v1/chat/completions')
  assert.deepEqual(body, { model: 'gpt-4o-mini', messages: ASK.messages })
  assert.equal(headers.authorization, `Bearer ${OPENAI_KEY}`)
  assert.equal(headers['content-type'], 'application/json')
  for (const name of ['x-stainless-lang', 'openai-organization', 'cookie', 'x-api-key', 'x-forwarded-for']) {
    assert.equal(headers[name], undefined, name)
  }
})

/** What is sent besides model and messages, and what of it arrives. */
const TRAVELS: Record<string, { send: Fields; arrives: Fields }> = {
  'gateway-only fields stay here': {
    send: {
      fallbacks: ['fake/x'],
      router_candidates: ['a/b'],
      pre_hooks: [],
      post_hooks: [],
      extra_body: {},
      extra_headers: {},
    },
    arrives: {},
  },
  'null fields are dropped': {
    send: {
      temperature: null,
      tools: null,
      stop: null,
      stream: null,
      fallbacks: null,
      n: null,
      extra_body: null,
      reasoning_effort: null,
      made_up: null,
    },
    arrives: {},
  },
  'unknown fields pass': {
    send: { made_up: { deep: [1, null, { x: null }] }, prompt_cache_key: 'k', n: 1, logit_bias: {} },
    arrives: { made_up: { deep: [1, null, { x: null }] }, prompt_cache_key: 'k', n: 1, logit_bias: {} },
  },
  'extra_body is merged and wins': {
    send: { temperature: 1, extra_body: { temperature: 0.5, top_k: 40, safety: { level: 'none' } } },
    arrives: { temperature: 0.5, top_k: 40, safety: { level: 'none' } },
  },
  'stop may be one string': { send: { stop: 'END' }, arrives: { stop: 'END' } },
  'stop may be a list': { send: { stop: ['END', '\n'] }, arrives: { stop: ['END', '\n'] } },
  'tool settings without tools are dropped': {
    send: { tools: [], tool_choice: 'auto', parallel_tool_calls: true },
    arrives: {},
  },
  'tool_choice without a list of tools is dropped': { send: { tool_choice: 'auto' }, arrives: {} },
  'tool settings with tools pass': {
    send: {
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
    },
    arrives: {
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
    },
  },
  'stream_options without a stream are dropped': { send: { stream_options: { include_usage: true } }, arrives: {} },
  'stream: false passes, without stream_options': {
    send: { stream: false, stream_options: {} },
    arrives: { stream: false },
  },
  'max_tokens goes by the name this provider takes': { send: { max_tokens: 5 }, arrives: { max_completion_tokens: 5 } },
  'of both limits the newer one travels': {
    send: { max_tokens: 5, max_completion_tokens: 7 },
    arrives: { max_completion_tokens: 7 },
  },
  'a model without reasoning gets no reasoning_effort': { send: { reasoning_effort: 'disable' }, arrives: {} },
  "disable is the gateway's word for none": {
    send: { model: 'openai/gpt-5.1', reasoning_effort: 'disable' },
    arrives: { model: 'gpt-5.1', reasoning_effort: 'none' },
  },
  'image_config is not for this provider': { send: { image_config: { aspect_ratio: '1:1' } }, arrives: {} },
}

for (const [name, { send, arrives }] of Object.entries(TRAVELS)) {
  test(name, async () => {
    const { status } = await chat.whole({ ...ASK, ...send })
    assert.equal(status, 200)
    assert.deepEqual((await openai.request(0)).body, { model: 'gpt-4o-mini', messages: ASK.messages, ...arrives })
  })
}

test('a provider without that field rule gets max_tokens as it is, and of both the newer', async () => {
  await chat.whole({ ...ASK, model: 'fake/x', max_tokens: 5 })
  await chat.whole({ ...ASK, model: 'fake/x', max_tokens: 5, max_completion_tokens: 7 })
  const bodies = fake.requests.map(({ body }) => body as Fields)
  assert.deepEqual(
    bodies.map(({ max_tokens, max_completion_tokens }) => [max_tokens, max_completion_tokens]),
    [
      [5, undefined],
      [undefined, 7],
    ],
  )
})

test('a bare image_url becomes an object; of the rest only what OpenAI refuses is left out', async () => {
  const text = { type: 'text', text: 'What is this?', cache_control: { type: 'ephemeral' } }
  const bare = { type: 'image_url', image_url: 'https://example.com/a.png' }
  const proper = { type: 'image_url', image_url: { url: 'https://example.com/b.png', detail: 'low' } }
  const history = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', index: 0 }],
    reasoning_content: 'r',
    parsed: 1,
  }
  await chat.whole({ ...ASK, messages: [history, { role: 'user', content: [text, bare, proper] }] })
  const { messages } = (await openai.request(0)).body as { messages: unknown }
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  const { reasoning_content: _, ...spoken } = history
  const { cache_control: __, ...plain } = text
  assert.deepEqual(messages, [spoken, { role: 'user', content: [plain, image, proper] }])
})

test('extra_headers are added, and cannot replace what the gateway sets', async () => {
  await chat.whole({
    ...ASK,
    extra_headers: { 'X-Title': 'Test', 'OpenAI-Beta': 'a=b', Accept: 'text/html', 'User-Agent': 'mine' },
  })
  const { headers } = await openai.request(0)
  assert.deepEqual([headers['x-title'], headers['openai-beta'], headers['user-agent']], ['Test', 'a=b', 'mine'])
  assert.equal(headers.accept, 'application/json')
})

for (const name of [
  'Authorization',
  'x_api_key',
  'api-key',
  'Host',
  'content-length',
  'X-Forwarded-For',
  'Cookie',
  'transfer-encoding',
]) {
  test(`extra header ${name} is refused with its place`, async () => {
    const { status, failure } = await chat.whole({ ...ASK, extra_headers: { 'x-fine': 'yes', [name]: 'x' } })
    assert.equal(status, 422)
    assert.deepEqual(
      failure.detail?.map(({ loc, type }) => [loc, type]),
      [[['body', 'extra_headers', name], 'value_error']],
    )
    assert.equal(openai.requests.length, 0)
  })
}

test('untouched fields arrive byte for byte: big integers, odd spacing, escapes, exponents', async () => {
  const kept = [
    '"seed" :  1234567890123456 ',
    '"big":123456789012345678901234567890',
    '"messages" : [ {"role":"user","content":"caf\\u00e9 \\ud83d\\ude00 \\/ é" , "n":1.0} ]',
    '\t"temperature"\r\n:1e0',
    '"tiny":1.50E-7',
  ]
  const { status } = await chat.whole(`\n{ ${kept.join(',')} , "model":"openai/gpt-4o-mini" , "user":null }`)
  assert.equal(status, 200)
  const { text } = await openai.request(0)
  for (const member of kept) assert.ok(text.includes(member.trim()), `${member} in ${text}`)
  assert.ok(!text.includes('openai/'))
})

test('all issues are reported at once, also those that no schema knows', async () => {
  const { status, failure } = await chat.whole({ ...ASK, temperature: 3, extra_headers: { Host: 'x' }, extra_body: [] })
  assert.equal(status, 422)
  assert.deepEqual(
    failure.detail?.map(({ loc }) => loc.join('.')),
    ['body.temperature', 'body.extra_body', 'body.extra_headers.Host'],
  )
})

const SMUGGLED: Record<string, string> = {
  'the same key twice': '"model":"openai/gpt-4","model":"openai/gpt-4o-mini"',
  'a key in disguise': '"model":"openai/gpt-4o-mini","mod\\u0065l":"openai/gpt-4o-mini","model ":"x"',
  'hidden behind a text that looks like the end':
    '"user":"\\"}","model":"openai/gpt-4","\\u006dodel":"openai/gpt-4o-mini"',
}

for (const [name, members] of Object.entries(SMUGGLED)) {
  test(`another model cannot be smuggled in: ${name}`, async () => {
    const { completion } = await chat.whole(
      `{${members},"messages":[{"role":"user","content":"Hi"}],"fallbacks":null,"fallbacks":["fake/x"]}`,
    )
    const { text, body } = await openai.request(0)
    assert.equal(text.match(/"(m|\\u006d)od(e|\\u0065)l"/g)?.length, 1)
    assert.equal((body as Fields).model, 'gpt-4o-mini')
    assert.equal('fallbacks' in (body as Fields), false)
    assert.deepEqual([completion.model, completion.cost], ['openai/gpt-4o-mini', 0.00000855])
  })
}

const ROUTING_FIELDS = {
  model: 'gpt-4',
  messages: [],
  stream: true,
  stream_options: { include_usage: false },
  fallbacks: [],
  extra_headers: {},
}

for (const [field, value] of Object.entries(ROUTING_FIELDS)) {
  test(`extra_body cannot bring in ${field}: it would be billed, allowed or read as something else`, async () => {
    const { status, failure } = await chat.whole({ ...ASK, extra_body: { top_k: 1, [field]: value } })
    assert.equal(status, 422)
    assert.deepEqual(
      failure.detail?.map(({ loc }) => loc),
      [['body', 'extra_body', field]],
    )
    assert.equal(openai.requests.length, 0)
  })
}

test('a streamed call always asks the provider for usage, whatever the caller writes', async () => {
  openai.always(stream(textEvents('Hi')))
  const requests = [
    undefined,
    null,
    {},
    { include_usage: false },
    { include_usage: null },
    { include_usage: true, include_obfuscation: false },
  ]
  for (const stream_options of requests) await chat.stream({ ...ASK, stream_options })
  const sent = openai.requests.map(({ body }) => (body as { stream_options: Fields }).stream_options)
  assert.deepEqual(
    sent.map(({ include_usage }) => include_usage),
    requests.map(() => true),
  )
  assert.equal(sent[5]!.include_obfuscation, false)
  assert.equal(openai.requests[0]!.headers.accept, 'text/event-stream')
})
