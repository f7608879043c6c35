import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { OpenAI } from 'openai'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { strictOpenai } from '../../fakes/strict-openai.ts'
import { collect } from '../../gateway/collect.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

// OpenAI's own responses endpoint behind all three client formats. The fake refuses what the real one refuses.

type Fields = Record<string, unknown>
type Chat = OpenAI.ChatCompletionCreateParamsNonStreaming

const NEW = 'openai/gpt-5.4'
const OLD = 'openai/gpt-4.1'
const PRO = 'openai/gpt-5-pro'
const CITY = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }
const FLAT = { type: 'function' as const, name: 'weather', parameters: CITY, strict: true }
const NESTED = { type: 'function' as const, function: { name: 'weather', parameters: CITY } }
const ASKED = [{ role: 'user' as const, content: 'The weather?' }]
const THINKING = { model: NEW, messages: ASKED, tools: [NESTED], reasoning_effort: 'high' as const }

describe('the responses endpoint of OpenAI', () => {
  let folder: string
  let gateway: GatewayUnderTest
  let openai: FakeProvider
  let client: OpenAI
  let anthropic: Anthropic
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-responses-'))
    const file = join(folder, 'gatehouse.config.json')
    await writeFile(file, JSON.stringify({ providers: { openai: { responses: true } } }))
    openai = await startFakeProvider({ everyPath: true })
    const env = { OPENAI_BASE_URL: openai.url, OPENAI_API_KEY: 'sk-fake-0123456789', GATEHOUSE_CONFIG: file }
    gateway = await startGateway({ env })
    const options = { apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 }
    client = new OpenAI(options)
    anthropic = new Anthropic(options)
  })
  beforeEach(() => {
    openai.reset()
    openai.always(strictOpenai())
  })
  after(async () => {
    await gateway.close()
    await openai.close()
    await rm(folder, { recursive: true })
  })

  test('responses go there as they are: effort, summary, tools; nothing is stored there', async () => {
    const reasoning = { effort: 'high' as const, summary: 'auto' as const }
    const tools = [FLAT, { type: 'web_search' as const }]
    const reply = await client.responses.create({ model: NEW, input: 'The weather?', reasoning, tools })
    const { path, body } = sent()
    assert.equal(path, '/v1/responses')
    const { input: _, ...rest } = body
    const include = ['reasoning.encrypted_content']
    assert.deepEqual(rest, { model: 'gpt-5.4', reasoning, tools, include, store: false })
    assert.deepEqual(types(reply.output), ['reasoning', 'web_search_call', 'function_call'])
    assert.deepEqual([reply.model, (reply as Fields & typeof reply).store], [NEW, true])
  })

  for (const stream of [false, true])
    test(`a stored conversation goes on with its encrypted reasoning, stream: ${stream}`, async () => {
      const first = await created({ model: NEW, input: 'The weather?', tools: [FLAT], stream })
      const result = { type: 'function_call_output' as const, call_id: 'call_1', output: 'Sun.' }
      await created({ model: NEW, input: [result], previous_response_id: first.id, tools: [FLAT], stream })
      const { input, previous_response_id } = sent(1).body
      assert.equal(previous_response_id, undefined)
      const [, reasoning, call] = input as Fields[]
      assert.deepEqual(reasoning, { type: 'reasoning', summary: [], encrypted_content: 'gAAAA-rs_1' })
      assert.deepEqual([call!.type, call!.id, call!.call_id], ['function_call', undefined, 'call_1'])
    })

  test('items of its answers may be named, and sent back by clients that store nothing', async () => {
    const first = await created({ model: NEW, input: 'The weather?', tools: [FLAT], stream: true })
    const result = { type: 'function_call_output', call_id: 'call_1', output: 'Sun.' }
    const named = first.output.map(({ id }) => ({ type: 'item_reference', id }))
    for (const before of [named, first.output])
      await created({ model: NEW, input: [...before, result] as never, tools: [FLAT], store: false })
    const [, byName, byItem] = openai.requests.map(({ body }) => types((body as { input: Fields[] }).input))
    assert.deepEqual(byName, ['reasoning', 'function_call', 'function_call_output'])
    assert.deepEqual(byItem, byName)
  })

  test('a model of another maker goes on in such a conversation, and back again', async () => {
    const first = await created({ model: NEW, input: 'The weather?', tools: [{ type: 'web_search' }] })
    const other = await created({ model: 'sandbox/echo', input: 'And you?', previous_response_id: first.id })
    assert.equal(other.output_text, 'And you?')
    await created({ model: NEW, input: 'And now?', previous_response_id: other.id })
    const items = sent(1).body.input as Fields[]
    const kinds = items.map(({ type, role }) => type ?? role)
    assert.deepEqual(kinds, ['message', 'reasoning', 'web_search_call', 'message', 'message', 'message', 'message'])
    const fallback = {
      model: 'openai/gpt-5.4',
      fallbacks: ['sandbox/echo'],
      input: 'x',
      previous_response_id: first.id,
    }
    openai.always((_, response) => void response.writeHead(500).end())
    assert.equal((await created(fallback as never)).model, 'sandbox/echo')
  })

  test('a model that does not reason is not asked for reasoning, and what it refuses is noted', async () => {
    const headers = { 'x-gatehouse-metadata': 'enabled' }
    const include = ['reasoning.encrypted_content' as const]
    const asked = { model: OLD, input: 'x', include, reasoning: { effort: 'high' as const } }
    const reply = await client.responses.create(asked, { headers })
    const { body } = sent()
    assert.deepEqual([body.include, body.reasoning], [[], undefined])
    const { notes } = (reply as unknown as { gatehouse: { notes: Fields[] } }).gatehouse
    assert.deepEqual(notes.map(({ field }) => field).sort(), ['include', 'reasoning'])
    await client.responses.create({ model: OLD, input: 'x' })
    assert.equal(sent(1).body.include, undefined)
  })

  test('a chat with tools and an effort goes there, and the next turn brings the reasoning back', async () => {
    const state = { previous_response_id: 'resp_1', extra_body: { previous_response_id: 'resp_1', background: true } }
    const reply = await client.chat.completions.create({ ...THINKING, ...state, max_tokens: 5, n: 1 } as Chat)
    const { path, body } = sent()
    assert.equal(path, '/v1/responses')
    assert.deepEqual(body.tools, [{ ...FLAT, strict: false }])
    assert.deepEqual([body.reasoning, body.max_output_tokens, body.store], [{ effort: 'high' }, 16, false])
    const { message, finish_reason } = reply.choices[0]!
    assert.equal(finish_reason, 'tool_calls')
    assert.deepEqual(reply.usage?.completion_tokens_details?.reasoning_tokens, 30)
    assert.deepEqual([reply.usage?.prompt_tokens, reply.usage?.prompt_tokens_details?.cached_tokens], [100, 20])
    const [call] = message.tool_calls!
    const answered = { role: 'tool' as const, tool_call_id: call!.id, content: 'Sun.' }
    // Most clients drop what they do not know, so the gateway remembers the reasoning.
    const plain = { role: 'assistant' as const, content: null, tool_calls: message.tool_calls! }
    for (const assistant of [message, plain]) {
      const second = await client.chat.completions.create({ ...THINKING, messages: [...ASKED, assistant, answered] })
      assert.equal(second.choices[0]!.message.content, 'It is sunny.')
      const { input } = openai.requests.at(-1)!.body as { input: Fields[] }
      assert.deepEqual(types(input), [undefined, 'reasoning', 'function_call', 'function_call_output'])
    }
  })

  test('streamed: call deltas, finish reason, usage', async () => {
    const chunks = await collect(
      await client.chat.completions.create({ ...THINKING, stream: true, stream_options: { include_usage: true } }),
    )
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    assert.deepEqual([pieces[0]!.id, pieces[0]!.function!.name], ['call_1', 'weather'])
    assert.equal(pieces.map((piece) => piece.function?.arguments ?? '').join(''), '{"city":"Paris"}')
    const ends = chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])
    assert.deepEqual(ends, ['tool_calls'])
    assert.equal(chunks.at(-1)!.usage!.completion_tokens, 50)
  })

  test('only what chat completions refuse goes there', async () => {
    const plain: Partial<Chat>[] = [
      { tools: [] },
      { reasoning_effort: 'none' },
      { model: OLD },
      { model: 'openai/gpt-5.2' },
    ]
    for (const change of plain) await client.chat.completions.create({ ...THINKING, ...change })
    const { reasoning_effort: _, ...silent } = THINKING
    await client.chat.completions.create(silent)
    assert.deepEqual(new Set(openai.requests.map(({ path }) => path)), new Set(['/v1/chat/completions']))
    openai.reset()
    openai.always(strictOpenai())
    await client.chat.completions.create({ ...silent, model: 'openai/gpt-6-astra' })
    await client.chat.completions.create({ model: OLD, messages: ASKED, web_search_options: {} })
    await client.chat.completions.create({ model: PRO, messages: ASKED })
    assert.deepEqual(new Set(openai.requests.map(({ path }) => path)), new Set(['/v1/responses']))
  })

  for (const stream of [false, true])
    test(`structured output, refusals and hooks, stream: ${stream}`, async () => {
      const json_schema = { name: 'answer', schema: { type: 'object' } }
      const format = { response_format: { type: 'json_schema' as const, json_schema } }
      assert.equal((await said({ ...format, stream })).content, '{"answer":42}')
      assert.deepEqual((sent().body.text as { format: Fields }).format, {
        type: 'json_schema',
        ...json_schema,
        strict: false,
      })
      assert.equal((await said({ messages: [{ role: 'user', content: 'evil' }], stream })).refusal, 'I will not.')
      const hooks = { post_hooks: [{ action: 'redact_pii' }] }
      const asked = [{ role: 'user' as const, content: 'An address?' }]
      assert.equal((await said({ ...hooks, messages: asked, stream } as never)).content, 'Write to [EMAIL_1].')
    })

  test('several answers are several requests, and a field that is not there is refused by its name', async () => {
    const many = await client.chat.completions.create({ ...THINKING, n: 2 })
    assert.deepEqual([many.choices.length, openai.requests.length, many.usage?.completion_tokens], [2, 2, 100])
    const fields = { stop: ['a'], seed: 1, presence_penalty: 1, frequency_penalty: 1, logit_bias: { 1: 2 } }
    for (const [field, value] of Object.entries(fields)) {
      const refused = client.chat.completions.create({ ...THINKING, [field]: value })
      await assert.rejects(refused, (error: InstanceType<typeof OpenAI.APIError>) => {
        assert.deepEqual([error.status, error.param], [422, field])
        assert.match(error.message, /responses endpoint/)
        return true
      })
    }
    await client.chat.completions.create({ ...THINKING, stop: [], presence_penalty: 0, logit_bias: {}, seed: null })
    assert.equal(openai.requests.length, 3)
  })

  for (const stream of [false, true])
    test(`messages go there, with thinking that comes back, stream: ${stream}`, async () => {
      const tools = [{ name: 'weather', input_schema: CITY }]
      const thinking = { type: 'enabled' as const, budget_tokens: 9000 }
      const request = { model: NEW, max_tokens: 20_000, messages: ASKED, tools, thinking }
      const first = await message(request, stream)
      assert.equal(first.stop_reason, 'tool_use')
      assert.deepEqual(types(first.content).sort(), ['redacted_thinking', 'tool_use'])
      assert.deepEqual([first.usage.output_tokens, sent().body.reasoning], [50, { effort: 'high' }])
      const result = { type: 'tool_result' as const, tool_use_id: 'call_1', content: 'Sun.' }
      const turns = [
        { role: 'assistant' as const, content: first.content },
        { role: 'user' as const, content: [result] },
      ]
      const second = await message({ ...request, messages: [...ASKED, ...turns] as never }, stream)
      assert.ok(second.content.some((block) => block.type === 'text' && block.text === 'It is sunny.'))
      assert.deepEqual(types(sent(1).body.input as Fields[])[1], 'reasoning')
    })

  test('a file of the gateway reaches it, next to its own tools', async () => {
    const form = new FormData()
    form.append('file', new Blob(['%PDF-1.4 x'], { type: 'application/pdf' }), 'a.pdf')
    const headers = { authorization: `Bearer ${API_KEY}` }
    const upload = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers, body: form })
    const { file_id } = (await upload.json()) as { file_id: string }
    const content = [{ type: 'input_file' as const, file_id }]
    const tools = [{ type: 'code_interpreter' as const, container: { type: 'auto' as const } }]
    await created({ model: NEW, input: [{ role: 'user', content }], tools, instructions: 'S' })
    const { input, tools: given, instructions } = sent().body
    const [system, user] = input as { role: string; content: Fields[] }[]
    assert.deepEqual([system!.role, given, instructions], ['system', tools, undefined])
    assert.match(String(user!.content[0]!.file_data), /^data:application\/pdf;base64,/)
  })

  test('a hook that changes the input is obeyed, and the tools of the provider stay', async () => {
    const pre_hooks = [{ action: 'redact_pii', params: { restore: true } }]
    const tools = [{ type: 'code_interpreter' as const, container: { type: 'auto' as const } }]
    const asked = { model: NEW, input: 'Mail ada@example.com', instructions: 'Not bob@example.com', tools, pre_hooks }
    const reply = await created(asked as never)
    assert.equal(reply.output_text, 'You said: Mail ada@example.com')
    const { body } = sent()
    assert.deepEqual(body.tools, tools)
    assert.doesNotMatch(JSON.stringify(body), /@example/)
  })

  function sent(at = 0): { path: string; body: Fields } {
    return openai.requests[at] as { path: string; body: Fields }
  }

  async function created(body: OpenAI.Responses.ResponseCreateParams): Promise<OpenAI.Responses.Response> {
    if (!body.stream) return await client.responses.create({ ...body, stream: false })
    const events = await collect(await client.responses.create({ ...body, stream: true }))
    const last = events.at(-1)!
    assert.equal(last.type, 'response.completed')
    const added = events.filter(({ type }) => type === 'response.output_item.added') as { item: { id: string } }[]
    const { response } = last as OpenAI.Responses.ResponseCompletedEvent
    assert.deepEqual(
      added.map(({ item }) => item.id),
      response.output.map(({ id }) => id),
    )
    return response
  }

  /** What a model without another endpoint says in a chat. */
  async function said(change: Partial<Chat> | { stream: true }): Promise<{ content: string; refusal: string }> {
    const request = { model: PRO, messages: ASKED, ...change } as Chat
    const { stream } = change as { stream?: boolean }
    if (!stream) return (await client.chat.completions.create(request)).choices[0]!.message as never
    const chunks = await collect(await client.chat.completions.create({ ...request, stream: true }))
    const joined = (field: 'content' | 'refusal') =>
      chunks.map(({ choices }) => choices[0]?.delta[field] ?? '').join('')
    return { content: joined('content'), refusal: joined('refusal') }
  }

  async function message(request: Anthropic.MessageCreateParamsNonStreaming, stream: boolean) {
    return stream ? await anthropic.messages.stream(request).finalMessage() : await anthropic.messages.create(request)
  }
})

function types(items: readonly { type?: unknown }[]): unknown[] {
  return items.map(({ type }) => type)
}
