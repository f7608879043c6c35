import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import OpenAI from 'openai'
import { eventsOf, SERVER_TOOL_ANSWERS } from '../../../src/translation/dialects/anthropic/fixtures/server-tools.ts'
import { answer, status } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { gatewayWithClaude } from '../../gateway/gateway-with-claude.ts'

// What a provider does by itself, through the whole gateway: with the OpenAI SDK, in all formats, for several owners.

type Fields = Record<string, unknown>

const MODEL = 'anthropic/claude-sonnet-4-5'
const SEARCHED = SERVER_TOOL_ANSWERS[0]!.message
const RAN = SERVER_TOOL_ANSWERS[1]!.message
const TOOLS = [{ type: 'code_execution_20250825', name: 'code_execution' }]
const QUESTION = { role: 'user', content: 'What is it?' }

const { gateway, claude, openai } = await gatewayWithClaude()

describe('what a provider does by itself', () => {
  test('goes back in its order after a stream that the OpenAI SDK put together', async () => {
    claude.next(stream(eventsOf(SEARCHED), { end: 'clean' }))
    claude.next(status(200, SEARCHED))
    const sdk = new OpenAI({ baseURL: `${gateway.url}/v3`, apiKey: API_KEY, maxRetries: 0 })
    const messages = [QUESTION] as OpenAI.ChatCompletionMessageParam[]
    const runner = sdk.chat.completions.stream({ model: MODEL, messages })
    const { message } = (await runner.finalChatCompletion()).choices[0]!
    await sdk.chat.completions.create({
      model: MODEL,
      messages: [...messages, message, { role: 'user', content: 'And?' }],
    })
    const { content } = (bodyOf(claude, 1).messages as { content: Fields[] }[])[1]!
    assert.deepEqual(
      content.map(({ type }) => type),
      SEARCHED.content.map(({ type }) => type),
    )
  })

  test('a container is used again by its owner only, and not after its end', async () => {
    claude.always(status(200, RAN))
    const message = await reply({ tools: TOOLS })
    const again = { tools: TOOLS, messages: [QUESTION, message, QUESTION] }
    await reply(again)
    assert.equal(bodyOf(claude, 1).container, 'container_01')
    const { key } = await adminClient(gateway.adminUrl).issue({ owner: 'another' })
    const foreign = await post('chat/completions', again, key)
    assert.equal(bodyOf(claude, 2).container, undefined)
    assert.match(JSON.stringify((foreign.gatehouse as Fields).notes), /not created by a call of the same owner/)
    const content = message.provider_content as Fields
    const container = { ...(content.container as Fields), expires_at: '2020-01-01T00:00:00Z' }
    await reply({
      ...again,
      messages: [QUESTION, { ...message, provider_content: { ...content, container } }, QUESTION],
    })
    assert.equal(bodyOf(claude, 3).container, undefined)
  })

  test('another provider does not get it, and the metadata says so', async () => {
    claude.next(status(200, SEARCHED))
    const message = await reply({})
    openai.next(answer())
    const { gatehouse } = await post('chat/completions', {
      model: 'openai/gpt-4o-mini',
      messages: [QUESTION, message, QUESTION],
    })
    assert.ok(!openai.requests[0]!.text.includes('srvtoolu'))
    assert.match(JSON.stringify(gatehouse), /messages\.provider_content/)
  })

  test('a hook that hides something does not let pass what it has not read', async () => {
    claude.always(status(200, SEARCHED))
    const post_hooks = [{ action: 'redact_pii', params: {} }]
    const { provider_content } = await reply({ post_hooks })
    assert.deepEqual(provider_content, {
      type: 'anthropic',
      blocks: [],
      omitted: [{ type: 'all', reason: 'hooks' }],
    })
    const text = await streamed({ model: MODEL, messages: [QUESTION], post_hooks }, 'chat/completions')
    assert.ok(!text.includes('srvtoolu'))
  })

  test('is an item of the responses format, and comes back from a stored response', async () => {
    claude.always(status(200, SEARCHED))
    const first = await post('responses', { model: MODEL, input: 'What is it?' })
    const types = (first.output as Fields[]).map(({ type }) => type)
    assert.deepEqual(types, ['reasoning', 'message', 'web_search_call', 'web_search_call'])
    const annotations = (((first.output as Fields[])[1]!.content as Fields[])[0]!.annotations as Fields[]).map(
      ({ url }) => url,
    )
    assert.deepEqual(annotations, ['https://a.test/'])
    await post('responses', { model: MODEL, input: 'And?', previous_response_id: first.id })
    const { content } = (bodyOf(claude, 1).messages as { content: Fields[] }[])[1]!
    assert.deepEqual(
      content.map(({ type }) => type),
      SEARCHED.content.map(({ type }) => type),
    )
  })

  test('is an event of the responses format in its place', async () => {
    claude.next(stream(eventsOf(SEARCHED), { end: 'clean' }))
    const text = await streamed({ model: MODEL, input: 'What is it?' }, 'responses')
    const types = [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
    const searched = types.indexOf('response.web_search_call.completed')
    assert.ok(
      searched > types.indexOf('response.output_text.delta') &&
        searched < types.lastIndexOf('response.output_text.delta'),
    )
  })

  async function reply(body: Fields): Promise<Fields> {
    const { choices } = await post('chat/completions', { model: MODEL, messages: [QUESTION], ...body })
    return (choices as { message: Fields }[])[0]!.message
  }

  async function post(path: string, body: Fields, key = API_KEY): Promise<Fields> {
    const response = await ask(path, { model: MODEL, ...body }, key)
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return JSON.parse(text)
  }

  async function streamed(body: Fields, path: string): Promise<string> {
    if (claude.requests.length > 0) claude.always(stream(eventsOf(SEARCHED), { end: 'clean' }))
    return (await ask(path, { ...body, stream: true })).text()
  }

  function ask(path: string, body: Fields, key = API_KEY): Promise<Response> {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'x-gatehouse-metadata': 'enabled',
    }
    return fetch(`${gateway.url}/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
})

function bodyOf({ requests }: FakeProvider, at: number): Fields {
  return requests[at]!.body as Fields
}

describe('sources of hosts in every format', () => {
  let gateway: GatewayUnderTest
  let host: FakeProvider
  before(async () => {
    host = await startFakeProvider({ everyPath: true })
    const base = host.url.replace(/\/v1$/, '')
    const env = {
      PERPLEXITY_BASE_URL: host.url,
      PERPLEXITY_API_KEY: 'pplx-fake-0123456789',
      COHERE_BASE_URL: `${base}/v2`,
      COHERE_API_KEY: 'co-fake-0123456789',
    }
    gateway = await startGateway({ env })
  })
  beforeEach(() => host.reset())
  after(async () => {
    await gateway.close()
    await host.close()
  })

  const search_results = [{ title: 'Sky', url: 'https://sky.test/' }]
  const perplexity = {
    model: 'perplexity/sonar',
    whole: answer({ content: 'Blue[1].', extra: { search_results, citations: ['https://sky.test/'] } }),
    streamed: stream([
      { id: 'c', created: 1, model: 'sonar', choices: [{ index: 0, delta: { role: 'assistant', content: 'Blue' } }] },
      {
        id: 'c',
        created: 1,
        model: 'sonar',
        search_results,
        choices: [{ index: 0, delta: { content: '[1].' }, finish_reason: 'stop' }],
      },
    ]),
    source: 'https://sky.test/',
  }
  const sources = [
    { type: 'document', id: 'doc-0', document: { id: 'doc-0', title: 'Report', snippet: 'It is blue.' } },
  ]
  const citations = { start: 0, end: 4, text: 'Blue', sources, type: 'TEXT_CONTENT', content_index: 0 }
  const message = { role: 'assistant', content: [{ type: 'text', text: 'Blue.' }], citations: [citations] }
  const cohere = {
    model: 'cohere/command-a-03-2025',
    whole: status(200, { id: 'c', message, finish_reason: 'COMPLETE' }),
    streamed: stream(
      [
        { type: 'message-start', id: 'c', delta: { message: { role: 'assistant' } } },
        { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Blue.' } } } },
        { type: 'citation-start', index: 0, delta: { message: { citations } } },
        { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
      ],
      { end: 'clean' },
    ),
    source: 'doc-0',
  }

  for (const { model, whole, streamed, source } of [perplexity, cohere]) {
    for (const [path, body] of [
      ['chat/completions', { messages: [QUESTION] }],
      ['responses', { input: 'Why?' }],
      ['v1/messages', { messages: [QUESTION], max_tokens: 100 }],
    ] as [string, Fields][]) {
      test(`${model} at /v3/${path}, whole and streamed`, async () => {
        for (const [behaviour, isStream] of [
          [whole, false],
          [streamed, true],
        ] as const) {
          host.next(behaviour)
          const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` }
          const sent = { ...body, model, ...(isStream && { stream: true }) }
          const response = await fetch(`${gateway.url}/v3/${path}`, {
            method: 'POST',
            headers,
            body: JSON.stringify(sent),
          })
          const text = await response.text()
          assert.equal(response.status, 200, text)
          const sourced = text.match(/"(annotations|annotation|citations|citation)":[[{].*/gs)?.join('') ?? ''
          assert.ok(sourced.includes(source), text)
        }
      })
    }
  }
})
