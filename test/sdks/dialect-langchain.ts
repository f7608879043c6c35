import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import type { ChatOpenAI } from '@langchain/openai'
import { sample } from '../soak/sample.ts'
import { collect } from '../gateway/collect.ts'
import { MODELS, IMAGE } from '../gateway/dialect-gateway.ts'

// `@langchain/openai` as a client of every dialect. `npm run test:sdks` runs only the first two, because it sends the same as the
// openai SDK.

const request = 'Grüße aus 東京 🗼'
const SAID = `You said: ${request}`
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const WEATHER = { type: 'function' as const, function: { name: 'weather', description: 'Weather', parameters: schema } }

export function langchainTests(llm: ChatOpenAI): void {
  for (const { dialect, model } of MODELS.slice(0, sample(2, MODELS.length)))
    describe(dialect, () => {
      const chat = withModel(llm, model)

      test('invoke, and stream', async () => {
        const { content, usage_metadata, response_metadata } = await chat.invoke(request)
        assert.deepEqual([content, response_metadata.finish_reason], [SAID, 'stop'])
        assert.deepEqual([usage_metadata?.input_tokens, usage_metadata?.output_tokens], [100, 20])
        const chunks = await collect(await chat.stream(request))
        assert.equal(chunks.map(({ content }) => content).join(''), SAID)
        assert.equal(chunks.findLast(({ usage_metadata }) => usage_metadata)?.usage_metadata?.total_tokens, 120)
      })

      test('a complete turn with two tools at once', async () => {
        const armed = chat.bindTools([WEATHER])
        const first = await armed.invoke(request)
        const calls = first.tool_calls ?? []
        assert.deepEqual(
          calls.map(({ name, args }) => [name, args.city]),
          [
            ['weather', 'Oslo'],
            ['weather', 'Zürich'],
          ],
        )
        const results = calls.map(({ id }) => new ToolMessage({ tool_call_id: id!, content: 'rain' }))
        const next = await armed.invoke([new HumanMessage(request), first, ...results])
        assert.equal(next.content, 'call_0: rain; call_1: rain')
      })

      test('structured output, and an image', async () => {
        const shaped = chat.withStructuredOutput<{ city: string }>(schema, { method: 'jsonSchema', name: 'place' })
        assert.deepEqual(await shaped.invoke(request), { city: 'Zürich' })
        const url = `data:image/png;base64,${IMAGE.toString('base64')}`
        const content = [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url } },
        ]
        const seen = await chat.invoke([new HumanMessage({ content })])
        assert.equal(seen.content, 'I see image/png of 16 bytes. You said: What is it?')
      })

      test('its other way of asking: the responses format', async () => {
        const responses = withModel(llm, model, { useResponsesApi: true })
        assert.equal((await responses.invoke(request)).text, SAID)
        const chunks = await collect(await responses.stream(request))
        assert.equal(chunks.map(({ text }) => text).join(''), SAID)
      })

      test('errors: before the answer, and in the middle of it', async () => {
        const provider = model.slice(0, model.indexOf('/'))
        await assert.rejects(withModel(llm, `${provider}/fail-400`).invoke(request), /as its name says/)
        await assert.rejects(
          async () => await collect(await withModel(llm, `${provider}/break`).stream(request)),
          /It broke/,
        )
      })
    })
}

/** The documented client with another model. Its fields are read when it is created. */
function withModel(llm: ChatOpenAI, model: string, more: object = {}): ChatOpenAI {
  const { apiKey, clientConfig: configuration } = llm as unknown as { apiKey: string; clientConfig: object }
  return new (llm.constructor as typeof ChatOpenAI)({ apiKey, configuration, model, maxRetries: 0, ...more })
}
