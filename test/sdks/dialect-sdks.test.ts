import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { AnthropicProvider } from '@ai-sdk/anthropic'
import type { GoogleProvider } from '@ai-sdk/google'
import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import type { ChatOpenAI } from '@langchain/openai'
import { generateText } from 'ai'
import type OpenAI from 'openai'
import { BY_REQUESTS, IN_TEST_SDKS } from '../clients/client-table.ts'
import { collect } from '../gateway/collect.ts'
import { aiSdkTests } from './dialect-ai-sdk.ts'
import { badInputTests } from './dialect-bad-input.ts'
import { startDialectGateway } from '../gateway/dialect-gateway.ts'
import { langchainTests } from './dialect-langchain.ts'
import { openaiSdkTests } from './dialect-openai-sdk.ts'
import { linesFor, runLines, variablesOf } from '../gateway/documented-clients.ts'

// Real clients as docs/clients.md sets them up, the real gateway, and one fake that speaks every dialect and refuses what the
// real servers refuse.

const gateway = await startDialectGateway()
after(() => gateway.close())
const { url } = gateway.gateway

const openai = await runLines<{ client: OpenAI; reply: OpenAI.Responses.Response }>('openai SDK', url)
const compatible = await runLines<{ provider: OpenAICompatibleProvider }>('AI SDK, openai-compatible', url)
const anthropic = await runLines<{ provider: AnthropicProvider }>('AI SDK, anthropic', url)
const google = await runLines<{ provider: GoogleProvider }>('AI SDK, google', url)
const { llm } = await runLines<{ llm: ChatOpenAI }>('LangChain', url)

describe('the openai SDK', () => openaiSdkTests(gateway, openai.client))
describe('the AI SDK', () => aiSdkTests(compatible.provider))
describe('the AI SDK, in the messages format', () => aiSdkTests(anthropic.provider))
describe('LangChain', () => langchainTests(llm))

describe('a provider’s nonsense', () => badInputTests(gateway))

describe('the page of clients', () => {
  test('every client takes three lines', () => {
    for (const client of [...IN_TEST_SDKS, ...BY_REQUESTS, 'Claude Code', 'Gemini CLI'])
      assert.equal(linesFor(client).length, 3, client)
  })

  test('lines that ask get an answer', async () => {
    assert.equal(openai.reply.output_text, 'You said: Hello')
    const { reply } = await runLines<{ reply: Anthropic.Message }>('Anthropic SDK', url)
    assert.deepEqual(reply.content[0], { type: 'text', text: 'You said: Hello' })
    const azure = await runLines<{ reply: OpenAI.ChatCompletion }>('AzureOpenAI', url)
    assert.equal(azure.reply.choices[0]?.message.content, 'You said: Hello')
    const gemini = await runLines<{ reply: GenerateContentResponse }>('Google Gen AI SDK', url)
    assert.equal(gemini.reply.text, 'You said: Hello')
    const model = google.provider('models/openai/gpt-4o-mini')
    assert.equal((await generateText({ model, prompt: 'Hello' })).text, 'You said: Hello')
  })

  test('Gemini CLI: its SDK, with the variables of the page', async () => {
    const { GOOGLE_GEMINI_BASE_URL, GEMINI_API_KEY, GEMINI_MODEL } = variablesOf('Gemini CLI', url)
    const client = new GoogleGenAI({ apiKey: GEMINI_API_KEY!, httpOptions: { baseUrl: GOOGLE_GEMINI_BASE_URL! } })
    const stream = await client.models.generateContentStream({ model: GEMINI_MODEL!, contents: 'Hello' })
    assert.equal((await collect(stream)).map(({ text }) => text ?? '').join(''), 'You said: Hello')
  })

  test('Claude Code: messages of its beta', async () => {
    const { ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_MODEL } = variablesOf('Claude Code', url)
    const client = new Anthropic({ baseURL: ANTHROPIC_BASE_URL, authToken: ANTHROPIC_AUTH_TOKEN!, apiKey: null })
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }]
    const request = { model: ANTHROPIC_MODEL!, max_tokens: 100, messages }
    const reported = await client.beta.messages.stream({ ...request, betas: ['some-beta-1'] }).finalMessage()
    assert.deepEqual(reported.content[0], { type: 'text', text: 'You said: Hello' })
    assert.equal(gateway.fake.requests.at(-1)!.headers['anthropic-beta'], 'some-beta-1')
  })

  for (const [client, names] of [
    ['Open WebUI', { base: 'OPENAI_API_BASE_URL', key: 'OPENAI_API_KEY' }],
    ['n8n', { base: 'N8N_BASE_URL', key: 'N8N_API_KEY', model: 'N8N_MODEL' }],
    ['Cursor', { base: 'CURSOR_BASE_URL', key: 'CURSOR_API_KEY', model: 'CURSOR_MODEL' }],
  ] as const)
    test(`${client}: the list of models, then a chat and a response`, async () => {
      const set = variablesOf(client, url)
      const [base, key] = [set[names.base]!, set[names.key]!]
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'openai-organization': '' }
      const { data } = (await (await fetch(`${base}/models`, { headers })).json()) as { data: { id: string }[] }
      const model = 'model' in names ? set[names.model]! : 'openai/gpt-4o-mini'
      assert.ok(data.some(({ id }) => id === model))
      const request = { model, stream: true, tools: [], messages: [{ role: 'user', content: 'Hello' }] }
      const chat = await fetch(`${base}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(request) })
      assert.match(await chat.text(), /data: \[DONE\]/)
      const body = JSON.stringify({ model, input: [{ role: 'user', content: 'Hello' }] })
      const response = await fetch(`${base}/responses`, { method: 'POST', headers, body })
      assert.match(await response.text(), /"text":"You said: Hello"/)
    })
})
