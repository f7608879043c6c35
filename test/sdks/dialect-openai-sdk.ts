import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OpenAI } from 'openai'
import { collect } from '../gateway/collect.ts'
import { costOf, type DialectGateway, MODELS, IMAGE } from '../gateway/dialect-gateway.ts'

// The official `openai` package as a client of every dialect.

const messages = [
  { role: 'system' as const, content: 'Sir!' },
  { role: 'user' as const, content: 'Grüße aus 東京 🗼' },
]
const SAID = 'Sir! You said: Grüße aus 東京 🗼'
const CITY = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const response_format = { type: 'json_schema' as const, json_schema: { name: 'place', strict: true, schema: CITY } }
const WEATHER = { type: 'function' as const, function: { name: 'weather', description: 'Weather', parameters: CITY } }
const ANSWERED = 'call_0: rain in Oslo; call_1: rain in Zürich'

/** These dialects do not report reasoning tokens. */
const UNCOUNTED: string[] = ['bedrock', 'cohere']

const ONE_AT_A_TIME = [
  ...MODELS.filter(({ dialect }) => ['anthropic', 'bedrock', 'cohere'].includes(dialect)).map(({ model }) => model),
  'groq/llama-3.3-70b-versatile',
]

type OfGateway = { provider?: string; cost?: number | null }

export function openaiSdkTests({ gateway }: DialectGateway, client: OpenAI): void {
  const { completions } = client.withOptions({ maxRetries: 0 }).chat

  for (const model of ONE_AT_A_TIME)
    test(`two answers where the provider gives one at a time: ${model}`, async () => {
      const { choices, usage } = await completions.create({ model, messages, n: 2 })
      const transcription = choices.map(({ index, message, finish_reason }) => [index, message.content, finish_reason])
      assert.deepEqual(
        transcription,
        [0, 1].map((index) => [index, SAID, 'stop']),
      )
      assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [200, 40, 240])
      const stream_options = { include_usage: true }
      const chunks = await collect(await completions.create({ model, messages, n: 2, stream: true, stream_options }))
      const texts = ['', '']
      for (const { index, delta } of chunks.flatMap((chunk) => chunk.choices)) texts[index] += delta.content ?? ''
      assert.deepEqual([texts, chunks.at(-1)?.usage?.total_tokens], [[SAID, SAID], 240])
    })

  for (const { dialect, model, thinker } of MODELS)
    describe(dialect, () => {
      const provider = model.slice(0, model.indexOf('/'))

      test('answers and chunks have the members that OpenAI always sends', async () => {
        const { choices } = await completions.create({ model, messages })
        const [{ message, logprobs }] = choices as [OpenAI.ChatCompletion.Choice]
        assert.deepEqual([message.refusal, logprobs], [null, null])
        const stream_options = { include_usage: true }
        const chunks = await collect(await completions.create({ model, messages, stream: true, stream_options }))
        for (const { usage } of chunks.slice(0, -1)) assert.equal(usage, null)
        // To what a provider of this format sends, nothing else is added.
        if (dialect === 'openai') return
        assert.equal(chunks[0]!.choices[0]!.delta.refusal, null)
        for (const { choices } of chunks.slice(0, -1)) assert.equal(choices[0]!.logprobs, null)
      })

      test('whole: content, usage, cost, model and provider', async () => {
        const reply = await completions.create({ model, messages, max_tokens: 50 })
        const { choices, usage, id, created } = reply
        assert.deepEqual([choices[0]?.message.content, choices[0]?.finish_reason], [SAID, 'stop'])
        assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [100, 20, 120])
        assert.equal(usage?.prompt_tokens_details?.cached_tokens, 30)
        assert.deepEqual([reply.model, (reply as OfGateway).provider], [model, provider])
        assert.equal((reply as OfGateway).cost, costOf(model, gateway))
        assert.ok(id && created > 0)
      })

      test('streamed: the same', async () => {
        const stream_options = { include_usage: true }
        const chunks = await collect(await completions.create({ model, messages, stream: true, stream_options }))
        assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), SAID)
        assert.ok(chunks.length > 4, 'it comes in pieces')
        assert.deepEqual(
          [chunks[0]?.choices[0]?.delta.role, chunks.at(-2)?.choices[0]?.finish_reason],
          ['assistant', 'stop'],
        )
        const { usage, ...last } = chunks.at(-1)!
        assert.deepEqual(
          [usage?.prompt_tokens, usage?.prompt_tokens_details?.cached_tokens, usage?.total_tokens],
          [100, 30, 120],
        )
        assert.deepEqual(
          [last.model, (last as OfGateway).provider, (last as OfGateway).cost],
          [model, provider, costOf(model, gateway)],
        )
        for (const { id, created, model: named } of chunks)
          assert.deepEqual([id, created, named], [chunks[0]!.id, chunks[0]!.created, model])
      })

      for (const stream of [false, true])
        test(`a complete turn with two tools at once, stream: ${stream}`, async () => {
          const value: unknown[] = []
          const weather = {
            ...WEATHER.function,
            parse: JSON.parse,
            function: ({ city }: { city: string }) => {
              value.push(city)
              return `rain in ${city}`
            },
          }
          const request = { model, messages, tools: [{ type: 'function' as const, function: weather }] }
          const runner = stream ? completions.runTools({ ...request, stream }) : completions.runTools(request)
          assert.equal(await runner.finalContent(), ANSWERED)
          assert.deepEqual(value, ['Oslo', 'Zürich'])
        })

      test('structured output, whole and streamed', async () => {
        const { choices } = await completions.parse({ model, messages, response_format })
        assert.deepEqual(choices[0]?.message.parsed, { city: 'Zürich' })
        const streamed = await completions.stream({ model, messages, response_format }).finalChatCompletion()
        assert.deepEqual(streamed.choices[0]?.message.parsed, { city: 'Zürich' })
      })

      test('an image', async () => {
        const url = `data:image/png;base64,${IMAGE.toString('base64')}`
        const content = [
          { type: 'text' as const, text: 'What is it?' },
          { type: 'image_url' as const, image_url: { url } },
        ]
        const { choices } = await completions.create({ model, messages: [{ role: 'user', content }] })
        assert.equal(choices[0]?.message.content, 'I see image/png of 16 bytes. You said: What is it?')
      })

      test('reasoning, and a tool turn that continues it', async () => {
        const request = { model: thinker, reasoning_effort: 'high' as const, tools: [WEATHER] }
        const { choices, usage } = await completions.create({ ...request, messages })
        const message = choices[0]!.message as OpenAI.ChatCompletionMessage & { reasoning_content?: string }
        assert.equal(message.reasoning_content, 'Let me see.')
        assert.equal(usage?.completion_tokens_details?.reasoning_tokens, UNCOUNTED.includes(dialect) ? undefined : 5)
        const results = message.tool_calls!.map(({ id }) => ({
          role: 'tool' as const,
          tool_call_id: id,
          content: 'sun',
        }))
        const next = await completions.create({ ...request, messages: [...messages, message, ...results] })
        assert.equal(next.choices[0]?.message.content, 'call_0: sun; call_1: sun')
        const streamed = await collect(await completions.create({ ...request, messages, stream: true }))
        const reasoning = streamed.map(
          ({ choices }) => (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '',
        )
        assert.equal(reasoning.join(''), 'Let me see.')
      })

      test('an error before the answer is the class of its status, whole and streamed', async () => {
        const failing = `${provider}/fail-400`
        for (const stream of [false, true])
          await assert.rejects(completions.create({ model: failing, messages, stream }), (error) => {
            assert.ok(error instanceof OpenAI.BadRequestError, String(error))
            assert.match(error.message, /It failed, as its name says/)
            return true
          })
      })

      test('an error in the middle of a stream is raised, and there is no end', async () => {
        const transcription: [text: string, end: string | null | undefined][] = []
        await assert.rejects(async () => {
          const stream = await completions.create({ model: `${provider}/break`, messages, stream: true })
          for await (const { choices } of stream)
            transcription.push([choices[0]?.delta.content ?? '', choices[0]?.finish_reason])
        }, /It broke/)
        assert.ok(transcription.some(([text]) => text) && !transcription.some(([, end]) => end))
      })
    })
}
