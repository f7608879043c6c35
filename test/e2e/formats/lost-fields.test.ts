import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answer, status } from '../../fakes/behaviours.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { gatewayWithRows } from '../../gateway/gateway-with-rows.ts'

// What a request of another format has, and a chat in our own format has not, is named in the answer, however the field is called.
// A provider of that format gets it.

type Fields = Record<string, unknown>

const MESSAGES = { max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] }
const OF_MESSAGES: Fields = {
  mcp_servers: [{ type: 'url', name: 'a', url: 'https://a.test' }],
  context_management: { edits: [] },
  cache_control: { type: 'ephemeral' },
  speed: 'fast',
  inference_geo: 'us',
  top_k: 5,
  n: 2,
  never_heard_of: 1,
}
const OF_RESPONSES: Fields = {
  context_management: [{ type: 'compaction' }],
  truncation: 'auto',
  max_tokens: 5,
  stop: ['a'],
  response_format: { type: 'json_object' },
  n: 2,
  seed: 1,
  never_heard_of: 1,
}

/** An answer of Cohere. */
const COMMAND = status(200, {
  id: 'c1',
  finish_reason: 'COMPLETE',
  message: { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
  usage: { tokens: { input_tokens: 3, output_tokens: 1 } },
})

describe('fields that a chat has not', async () => {
  const rows = {
    chat: { dialect: 'openai' },
    claude: { dialect: 'anthropic' },
    gemini: { dialect: 'gemini' },
    command: { dialect: 'cohere' },
    marked: { dialect: 'openai', compat: { cacheMarks: true } },
  }
  const { gateway, provider } = await gatewayWithRows(rows, { mcp: { atProviders: true } })

  async function ask(path: string, body: Fields): Promise<{ text: string; dropped: string[] }> {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    return { text, dropped: response.headers.get('x-gatehouse-dropped-fields')?.split(', ') ?? [] }
  }

  async function upload(): Promise<string> {
    const form = new FormData()
    form.set('file', new Blob(['Hello, file']), 'a.txt')
    const headers = { authorization: `Bearer ${API_KEY}` }
    const response = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers, body: form })
    return ((await response.json()) as { file_id: string }).file_id
  }

  for (const [field, value] of Object.entries(OF_MESSAGES))
    test(`messages: ${field}`, async () => {
      provider.always(answer())
      const { text, dropped } = await ask('/v3/v1/messages', { model: 'chat/x', ...MESSAGES, [field]: value })
      assert.deepEqual(dropped, [field], text)
      assert.ok(!Object.hasOwn(provider.requests.at(-1)!.body as Fields, field))
    })

  for (const [field, value] of Object.entries(OF_RESPONSES))
    test(`responses: ${field}`, async () => {
      provider.always(answer())
      const { text, dropped } = await ask('/v3/responses', { model: 'chat/x', input: 'Hello', [field]: value })
      assert.deepEqual(dropped, [field], text)
    })

  test('responses: max_tool_calls, if the provider runs a tool', async () => {
    provider.always(answer())
    const limited = { input: 'Hello', max_tool_calls: 2 }
    const searching = { ...limited, tools: [{ type: 'web_search' }] }
    const own = { ...limited, tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }] }
    assert.deepEqual((await ask('/v3/responses', { model: 'claude/x', ...searching })).dropped, ['max_tool_calls'])
    assert.deepEqual((await ask('/v3/responses', { model: 'claude/x', ...own })).dropped, [])
  })

  test('Cohere: k, at a provider of chat completions', async () => {
    provider.always(answer())
    const body = { messages: MESSAGES.messages, k: 5 }
    const { text, dropped } = await ask('/v3/v2/chat', { model: 'chat/x', ...body })
    assert.deepEqual(dropped, ['k'], text)
    assert.ok(!Object.hasOwn(provider.requests.at(-1)!.body as Fields, 'top_k'))
    assert.deepEqual((await ask('/v3/v2/chat', { model: 'claude/x', ...body })).dropped, [])
    assert.equal((provider.requests.at(-1)!.body as Fields).top_k, 5)
  })

  const THINKING = { type: 'enabled', budget_tokens: 1024 }
  for (const [format, path, body, name] of [
    ['messages', '/v3/v1/messages', { ...MESSAGES, max_tokens: 2000, top_k: 5, thinking: THINKING }, 'top_k'],
    [
      'Gemini',
      '/v3/v1beta/models/MODEL:generateContent',
      {
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        generationConfig: { topK: 5, thinkingConfig: { thinkingBudget: 1024 } },
      },
      'generationConfig.topK',
    ],
    ['Cohere', '/v3/v2/chat', { messages: MESSAGES.messages, k: 5, thinking: { type: 'enabled' } }, 'k'],
  ] as const)
    test(`${format}: a fallback that is asked through chat completions takes nothing from the first target`, async () => {
      for (const [first, second] of [
        ['command', 'chat'],
        ['chat', 'command'],
      ]) {
        provider.reset()
        provider.next(status(503, { message: 'Busy.' }))
        provider.always(first === 'chat' ? COMMAND : answer())
        const asked = { ...body, model: `${first}/x`, fallbacks: [`${second}/x`], routing: { retries: 0 } }
        const { text, dropped } = await ask(path.replace('MODEL', `${first}/x`), asked)
        const [one, other] = provider.requests.map(({ body: sent }) => sent as Fields)
        const [ofCommand, ofChat] = first === 'chat' ? [other, one] : [one, other]
        assert.deepEqual([ofCommand?.k, ofChat?.top_k, ofChat?.k], [5, undefined, undefined], text)
        assert.equal((ofCommand?.thinking as Fields | undefined)?.type, 'enabled')
        assert.deepEqual(dropped, first === 'chat' ? [] : [name])
      }
    })

  test('messages: cache marks reach a target that has them beside one that has not, and an error of a tool both', async () => {
    const mark = { cache_control: { type: 'ephemeral' } }
    const turns = [
      { role: 'user', content: [{ type: 'text', text: 'Hello', ...mark }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', is_error: true, content: 'No.' }] },
    ]
    provider.reset()
    provider.next(status(503, { message: 'Busy.' }))
    provider.always(answer())
    const fallback = { model: 'marked/x', fallbacks: ['chat/x'], routing: { retries: 0 } }
    const { dropped } = await ask('/v3/v1/messages', { max_tokens: 9, messages: turns, ...fallback })
    assert.deepEqual(dropped, ['cache_control'])
    const [marked, plain] = provider.requests.map(({ body }) => (body as { messages: Fields[] }).messages)
    assert.deepEqual(marked?.[0]?.content, [{ type: 'text', text: 'Hello', ...mark }])
    assert.equal(plain?.[0]?.content, 'Hello')
    for (const messages of [marked, plain]) {
      assert.equal(messages?.[2]?.content, 'Error: No.')
      assert.ok(!('is_error' in messages![2]!))
    }
  })

  test('embeddings: user, where the wire format has no such field', async () => {
    const body = { input: 'Hello', user: 'mia' }
    const vectors = { data: [{ embedding: [1] }], embeddings: [{ values: [1] }], usage: { total_tokens: 1 } }
    provider.always(status(200, vectors))
    const { text, dropped } = await ask('/v3/embeddings', { model: 'gemini/text-embedding', ...body })
    assert.deepEqual(dropped, ['user'], text)
    assert.deepEqual((await ask('/v3/embeddings', { model: 'chat/text-embedding', ...body })).dropped, [])
    assert.equal((provider.requests.at(-1)!.body as Fields).user, 'mia')
  })

  test('settings that only say how an answer is written are not named', async () => {
    provider.always(answer())
    const plain = { truncation: 'disabled', stream_options: { include_obfuscation: false }, metadata: { a: 'b' } }
    assert.deepEqual((await ask('/v3/responses', { model: 'chat/x', input: 'Hello', ...plain })).dropped, [])
    const usual = { metadata: { user_id: 'u' }, output_config: { effort: 'low' }, service_tier: 'auto' }
    const { dropped } = await ask('/v3/v1/messages', { model: 'claude/x', ...MESSAGES, ...usual })
    assert.deepEqual(dropped, [])
  })

  test('a provider of the messages format gets them, also if the gateway writes the request anew', async () => {
    const { n: _, top_k: __, ...fields } = OF_MESSAGES
    const document = { type: 'document', source: { type: 'file', file_id: await upload() } }
    for (const content of ['Hello', [document, { type: 'text', text: 'Hello' }]]) {
      const body = { model: 'claude/x', ...MESSAGES, messages: [{ role: 'user', content }], ...fields }
      const { dropped } = await ask('/v3/v1/messages', body)
      assert.partialDeepStrictEqual(provider.requests.at(-1)!.body, fields)
      assert.deepEqual(dropped, [])
    }
  })
})
