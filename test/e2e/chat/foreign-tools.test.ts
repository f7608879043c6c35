import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { strictOpenai } from '../../fakes/strict-openai.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// Tools of one maker in front of the models of another: translated where there is an equal, otherwise refused by name.

type Fields = Record<string, unknown>
type Sent = { tools?: Fields[]; web_search_options?: unknown; tool_choice?: unknown; messages: Fields[] }

/** What Codex sends with every request. */
const CODEX_TOOLS = [
  { type: 'function', name: 'shell', parameters: { type: 'object' }, strict: false },
  { type: 'web_search' },
  {
    type: 'namespace',
    name: 'mcp__notes',
    description: 'Notes',
    tools: [{ type: 'function', name: 'find', parameters: { type: 'object' } }],
  },
]
const CALL = { id: 'call_1', type: 'function', function: { name: 'mcp__notes__find', arguments: '{"a":1}' } }
const CALLED = { content: null, message: { tool_calls: [CALL] } }
const TURN = [{ role: 'user', content: 'x' }]
const BASH = { type: 'bash_20250124', name: 'bash' }

describe('tools of another maker', () => {
  let folder: string
  let gateway: GatewayUnderTest
  let fake: FakeProvider
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-tools-'))
    const file = join(folder, 'gatehouse.config.json')
    fake = await startFakeProvider({ everyPath: true })
    const other = { dialect: 'openai', baseUrl: fake.url }
    const providers = { openai: { responses: true }, other }
    await writeFile(file, JSON.stringify({ providers, mcp: { atProviders: true } }))
    gateway = await startGateway({
      env: { OPENAI_BASE_URL: fake.url, OPENAI_API_KEY: 'sk-fake-0123456789', GATEHOUSE_CONFIG: file },
    })
  })
  beforeEach(() => fake.reset())
  after(async () => {
    await gateway.close()
    await fake.close()
    await rm(folder, { recursive: true })
  })

  for (const isStreamed of [false, true])
    test(`Codex works with a model that has neither search nor namespaces, stream: ${isStreamed}`, async () => {
      const delta = { role: 'assistant', tool_calls: [{ index: 0, ...CALL }] }
      const chunks = [
        { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta }] },
        { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      ]
      fake.always(isStreamed ? stream(chunks) : answer(CALLED))
      const asked = { model: 'other/m', input: 'x', tools: CODEX_TOOLS, stream: isStreamed }
      const response = await created(asked)
      const sent = body()
      assert.deepEqual(
        sent.tools?.map((tool) => (tool.function as Fields).name),
        ['shell', 'mcp__notes__find'],
      )
      assert.equal(sent.web_search_options, undefined)
      const [item] = response.output as Fields[]
      assert.deepEqual([item!.type, item!.name, item!.namespace], ['function_call', 'find', 'mcp__notes'])
      const { notes } = response.gatehouse as { notes: Fields[] }
      assert.ok(notes.some(({ field, reason }) => field === 'web_search_options' && /web_search/.test(String(reason))))
      fake.always(
        isStreamed
          ? stream([{ ...chunks[0], choices: [{ index: 0, delta: { content: 'Hi' } }] }, chunks[1]!])
          : answer(),
      )
      const result = { type: 'function_call_output', call_id: 'call_1', output: 'Found.' }
      await created({ ...asked, input: [result], previous_response_id: response.id })
      const [, assistant] = body(1).messages
      assert.equal((assistant!.tool_calls as { function: Fields }[])[0]!.function.name, 'mcp__notes__find')
    })

  test('a demanded search, and tools that a provider has to run, are refused by name', async () => {
    const cases: [string, object, RegExp][] = [
      ['responses', { tools: CODEX_TOOLS, tool_choice: { type: 'web_search' } }, /web_search/],
      ['responses', { tools: [{ type: 'file_search', vector_store_ids: ['v'] }] }, /file_search/],
      ['responses', { tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://a.test' }] }, /"mcp"/],
      ['v1/messages', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, /web_search/],
      ['v1/messages', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }, /code_execution/],
      ['chat/completions', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }, /web_fetch/],
    ]
    for (const [path, change, message] of cases) {
      const reply = await post({ model: 'other/m', input: 'x', messages: TURN, max_tokens: 9, ...change }, path)
      const { error } = (await reply.json()) as { error: { message: string } }
      assert.equal(reply.status, 422, path)
      assert.match(error.message, message)
    }
    assert.equal(fake.requests.length, 0)
  })

  test('typed tools that the client runs become functions, over both endpoints of OpenAI', async () => {
    fake.always(strictOpenai())
    const tools = [
      BASH,
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { type: 'memory_20250818', name: 'memory' },
      { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 },
    ]
    const asked = { messages: TURN, max_tokens: 2000, tools }
    const plain = await post({ model: 'openai/gpt-4.1', ...asked }, 'v1/messages')
    assert.equal(plain.status, 200)
    assert.ok(((await plain.json()) as { usage: { cost?: number } }).usage)
    const thinking = { type: 'enabled', budget_tokens: 1024 }
    const reply = await post({ model: 'openai/gpt-5.4', ...asked, thinking }, 'v1/messages')
    const { content } = (await reply.json()) as { content: Fields[] }
    assert.deepEqual([content.at(-1)!.type, content.at(-1)!.name], ['tool_use', 'bash'])
    const [overChat, overResponses] = fake.requests.map(({ body }) => (body as { tools: Fields[] }).tools)
    const names = ['bash', 'str_replace_based_edit_tool', 'memory', 'computer']
    assert.deepEqual(
      overChat!.map(({ function: declared }) => (declared as Fields).name),
      names,
    )
    assert.deepEqual(
      overResponses!.map(({ name }) => name),
      names,
    )
    const { parameters } = overResponses![1] as { parameters: { properties: { command: Fields }; required: string[] } }
    assert.deepEqual(parameters.properties.command.enum, ['view', 'create', 'str_replace', 'insert'])
    assert.deepEqual(parameters.required, ['command', 'path'])
  })

  test('the search of a message is OpenAI’s own tool where the model has it', async () => {
    fake.always(strictOpenai())
    const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }]
    const reply = await post({ model: 'openai/gpt-4.1', messages: TURN, max_tokens: 99, tools }, 'v1/messages')
    assert.equal(reply.status, 200)
    assert.deepEqual(body().tools, [{ type: 'web_search', search_context_size: 'low' }])
    const { content } = (await reply.json()) as { content: Fields[] }
    assert.ok(content.some(({ type }) => type === 'text'))
  })

  test('a provider that runs MCP itself is sent to the server of the caller, if the operator allows that', async () => {
    fake.always(strictOpenai())
    const tools = [{ type: 'mcp', server_label: 'a', server_url: 'https://a.test', require_approval: 'never' }]
    assert.equal((await post({ model: 'openai/gpt-4.1', input: 'x', tools })).status, 200)
    assert.deepEqual(body().tools, tools)
  })

  function body(at = 0): Sent {
    return fake.requests[at]!.body as Sent
  }

  function post(sent: object, path = 'responses'): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'x-gatehouse-metadata': 'enabled' }
    return fetch(`${gateway.url}/v3/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, ...headers },
      body: JSON.stringify(sent),
    })
  }

  async function created(sent: object): Promise<Fields> {
    const reply = await post(sent)
    const text = await reply.text()
    assert.equal(reply.status, 200, text)
    if (!text.startsWith('event:') && !text.startsWith('data:')) return JSON.parse(text) as Fields
    const datas = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Fields)
    return datas.at(-1)!.response as Fields
  }
})
