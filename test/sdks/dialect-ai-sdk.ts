import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { APICallError, generateText, jsonSchema, type LanguageModel, Output, stepCountIs, streamText, tool } from 'ai'
import { collect } from '../gateway/collect.ts'
import { MODELS, IMAGE } from '../gateway/dialect-gateway.ts'

// The AI SDK as a client of every dialect, with two of its providers.

const prompt = 'Grüße aus 東京 🗼'
const SAID = `You said: ${prompt}`
const ANSWERED = 'call_0: rain in Oslo; call_1: rain in Zürich'
const CITY = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
})
const weather = tool({ inputSchema: CITY, execute: async ({ city }) => `rain in ${city}` })
/** Each provider of the SDK has its own options, and needs more of them for models that it does not know. */
const thinking = {
  gatehouse: { reasoningEffort: 'high' },
  anthropic: { thinking: { type: 'enabled' as const, budgetTokens: 1024 } },
}
const asSchema = { anthropic: { structuredOutputMode: 'outputFormat' } }
const maxOutputTokens = 2_000

export function aiSdkTests(gatehouse: (model: string) => Exclude<LanguageModel, string>): void {
  for (const { dialect, model: id, thinker } of MODELS)
    describe(dialect, () => {
      const model = gatehouse(id)
      const provider = id.slice(0, id.indexOf('/'))

      test('generateText', async () => {
        const { text, usage, finishReason, response } = await generateText({ model, prompt, maxOutputTokens })
        assert.deepEqual([text, finishReason, response.modelId], [SAID, 'stop', id])
        assert.deepEqual([usage.inputTokens, usage.outputTokens, usage.totalTokens], [100, 20, 120])
      })

      test('streamText', async () => {
        const result = streamText({ model, prompt, maxOutputTokens })
        assert.equal((await collect(result.textStream)).join(''), SAID)
        const { inputTokens, outputTokens } = await result.usage
        assert.deepEqual([inputTokens, outputTokens, await result.finishReason], [100, 20, 'stop'])
      })

      test('a complete turn with two tools at once, whole and streamed', async () => {
        const options = { model, prompt, maxOutputTokens, tools: { weather }, stopWhen: stepCountIs(2) }
        assert.equal((await generateText(options)).text, ANSWERED)
        assert.equal(await streamText(options).text, ANSWERED)
      })

      test('structured output, whole and streamed', async () => {
        const output = Output.object({ schema: CITY })
        const options = { model, prompt, maxOutputTokens, providerOptions: asSchema, output }
        assert.deepEqual((await generateText(options)).output, { city: 'Zürich' })
        const streamed = streamText(options)
        assert.deepEqual((await collect(streamed.partialOutputStream)).at(-1), { city: 'Zürich' })
        assert.deepEqual(await streamed.output, { city: 'Zürich' })
      })

      test('an image', async () => {
        const content = [
          { type: 'text' as const, text: 'What is it?' },
          { type: 'file' as const, data: new Uint8Array(IMAGE), mediaType: 'image/png' },
        ]
        const { text } = await generateText({ model, maxOutputTokens, messages: [{ role: 'user', content }] })
        assert.equal(text, 'I see image/png of 16 bytes. You said: What is it?')
      })

      test('reasoning arrives as reasoning', async () => {
        const result = streamText({ model: gatehouse(thinker), prompt, maxOutputTokens, providerOptions: thinking })
        assert.deepEqual([await result.text, await result.reasoningText], [SAID, 'Let me see.'])
      })

      test('errors: before the answer, and in the middle of it', async () => {
        await assert.rejects(
          generateText({ model: gatehouse(`${provider}/fail-400`), prompt, maxOutputTokens, maxRetries: 0 }),
          (error) => {
            return APICallError.isInstance(error) && error.statusCode === 400 && /as its name says/.test(error.message)
          },
        )
        const errors: unknown[] = []
        const { fullStream } = streamText({
          model: gatehouse(`${provider}/break`),
          prompt,
          maxOutputTokens,
          onError: ({ error }) => void errors.push(error),
        })
        // In the chat format, the body is cut off behind the error.
        await collect<{ type: string }>(fullStream).catch(() => undefined)
        assert.match(JSON.stringify(errors[0]), /It broke/)
      })
    })
}
