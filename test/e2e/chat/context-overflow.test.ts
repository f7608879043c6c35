import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { collect } from '../../gateway/collect.ts'
import { MODELS, startDialectGateway } from '../../gateway/dialect-gateway.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'

// A prompt that is too long, for every format of clients and every dialect of providers. Clients compact the conversation
// when they see the words or the code of the maker of their format.

const { gateway, close } = await startDialectGateway()
after(close)
const baseURL = `${gateway.url}/v3`
const openai = new OpenAI({ baseURL, apiKey: API_KEY, maxRetries: 0 })
const anthropic = new Anthropic({ baseURL, apiKey: API_KEY, maxRetries: 0 })
const google = new GoogleGenAI({ apiKey: API_KEY, httpOptions: { baseUrl: baseURL } })
const messages = [{ role: 'user' as const, content: 'Hello' }]
const CODE = 'context_length_exceeded'

for (const { dialect, model: known } of MODELS)
  describe(dialect, () => {
    const model = `${known.slice(0, known.indexOf('/'))}/too-long`
    /** The provider that tells no counts. */
    const hasCounts = dialect !== 'bedrock'

    for (const stream of [false, true])
      test(`chat completions and messages, stream: ${stream}: a 400 with the words of the format`, async () => {
        await assert.rejects(openai.chat.completions.create({ model, messages, stream }), (error) => {
          assert.ok(error instanceof OpenAI.BadRequestError)
          assert.deepEqual([error.code, error.type], [CODE, 'invalid_request_error'])
          return /context (length|window)/.test(error.message)
        })
        await assert.rejects(anthropic.messages.create({ model, messages, max_tokens: 9, stream }), (error) => {
          assert.ok(error instanceof Anthropic.BadRequestError)
          const { type, message } = (error.error as { error: { type: string; message: string } }).error
          assert.equal(type, 'invalid_request_error')
          assert.match(message, hasCounts ? /^prompt is too long: \d+ tokens > \d+ maximum$/ : /^prompt is too long: /)
          return error.headers?.get('x-should-retry') === 'false'
        })
      })

    test('responses: a 400, and inside of the stream as OpenAI does', async () => {
      await assert.rejects(openai.responses.create({ model, input: 'Hello' }), { status: 400, code: CODE })
      const body = JSON.stringify({ model, input: 'Hello', stream: true })
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
      const reply = await fetch(`${baseURL}/responses`, { method: 'POST', headers, body })
      const events = (await reply.text()).matchAll(/^data: (.*)$/gm)
      const read = [...events].map(([, json]) => JSON.parse(json!) as { type: string; response?: { error?: object } })
      assert.deepEqual(
        [reply.status, ...read.map(({ type }) => type)],
        [200, 'response.created', 'response.in_progress', 'error', 'response.failed'],
      )
      assert.equal((read.at(-1)!.response!.error as { code: string }).code, CODE)
      const stream = await openai.responses.create({ model, input: 'Hello', stream: true })
      await assert.rejects(collect(stream), { code: CODE })
    })

    test('the Gemini format: a 400, with the words of Google', async () => {
      await assert.rejects(google.models.generateContent({ model, contents: 'Hello' }), (error) => {
        assert.ok(error instanceof ApiError)
        const words = /The input token count \(\d+\) exceeds the maximum number of tokens allowed \(\d+\)/
        return error.status === 400 && (!hasCounts || words.test(error.message))
      })
    })
  })
