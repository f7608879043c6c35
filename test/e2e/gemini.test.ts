import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { RECORDINGS, recordingOf } from '../../src/dialects/gemini/fixtures/recordings.ts'
import { answer, failure, status } from '../fakes/behaviours.ts'
import { textEvents, toolEvents } from '../fakes/openai-events.ts'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { stream } from '../fakes/stream.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

// The Gemini format through the whole gateway: unchanged in front of Google, translated in front of others.

type Fields = Record<string, unknown>
type Part = Fields & { text?: string; functionCall?: Fields; thoughtSignature?: string }
type Reply = Fields & { candidates: { content: { parts: Part[] }; finishReason?: string }[] }

const GOOGLE = 'google/gemini-3-flash-preview'
const OPENAI = 'openai/gpt-4o-mini'
const contents = [{ role: 'user', parts: [{ text: 'What is it?' }] }]
const REPLY = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP', index: 0 }] }

describe('the Gemini format', () => {
  let google: FakeProvider
  let openai: FakeProvider
  let gateway: GatewayUnderTest
  let folder: string
  before(async () => {
    google = await startFakeProvider({ everyPath: true })
    openai = await startFakeProvider({ everyPath: true })
    const keys = { GEMINI_API_KEY: 'AIza-fake-0123456789', OPENAI_API_KEY: 'sk-fake-0123456789' }
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-gemini-'))
    const file = join(folder, 'gatehouse.config.json')
    const aliases = { calm: { targets: [{ model: GOOGLE }], defaults: { temperature: 0 } } }
    await writeFile(file, JSON.stringify({ aliases }))
    const addresses = { GEMINI_BASE_URL: google.url, OPENAI_BASE_URL: openai.url }
    gateway = await startGateway({ env: { GATEHOUSE_CONFIG: file, ...addresses, ...keys } })
  })
  beforeEach(() => {
    google.reset()
    openai.reset()
    google.always(status(200, REPLY))
    openai.always(answer())
  })
  after(async () => {
    await gateway.close()
    await rm(folder, { recursive: true })
    await google.close()
    await openai.close()
  })

  describe('in front of Google', () => {
    test('a body passes byte for byte, in whatever spelling, without the fields of the gateway', async () => {
      const spaced = '"contents": [ {"parts": [{"text": "Hi", "future_field": 1e2}]} ]'
      const rest = '"system_instruction":{"parts":{"text":"Sir"}},"safetySettings": [],"labels":{"a":"b"}'
      await post(`${GOOGLE}:generateContent`, `{${spaced},"fallbacks":[],${rest}}`)
      assert.equal(google.requests[0]!.text, `{${spaced},${rest}}`)
      assert.match(google.requests[0]!.path, /models\/gemini-3-flash-preview:generateContent$/)
    })

    for (const { name, whole, events } of RECORDINGS)
      test(`an answer passes unchanged, whole, as events and as an array: ${name}`, async () => {
        google.next(status(200, whole))
        const { cost: _, provider, ...reply } = await json(`${GOOGLE}:generateContent`)
        assert.deepEqual([reply, provider], [whole, 'google'])
        for (const alt of ['?alt=sse', '']) {
          google.next(stream(events, { end: 'clean' }))
          const replies = await streamed(`${GOOGLE}:streamGenerateContent${alt}`)
          const plain = replies.map(({ cost: _cost, provider: _provider, ...one }) => one)
          assert.deepEqual(plain, events)
          assert.equal(replies.at(-1)!.provider, 'google')
        }
      })

    test("a cache in the operator's account cannot be named, in either spelling", async () => {
      for (const name of ['cachedContent', 'cached_content']) {
        const reply = await post(`${GOOGLE}:generateContent`, { contents, [name]: 'cachedContents/1' })
        assert.equal((google.requests.at(-1)!.body as Fields)[name], undefined)
        assert.equal(reply.headers.get('x-gatehouse-dropped-fields'), name)
      }
      await post(`${GOOGLE}:countTokens`, { generateContentRequest: { contents, cachedContent: 'cachedContents/1' } })
      assert.doesNotMatch(google.requests.at(-1)!.text, /cachedContents/)
    })

    test('Google counts the tokens of the whole request', async () => {
      google.next(status(200, { totalTokens: 42 }))
      const tools = [{ codeExecution: {} }]
      const reply = await json(`${GOOGLE}:countTokens`, { generateContentRequest: { contents, tools } })
      assert.deepEqual(reply, { totalTokens: 42 })
      const asked = { contents, tools, model: 'models/gemini-3-flash-preview' }
      assert.deepEqual(google.requests[0]!.body, { generateContentRequest: asked })
    })

    test('embeddings get the settings of Google', async () => {
      google.always(status(200, { embeddings: [{ values: [1, 0] }], usageMetadata: { promptTokenCount: 3 } }))
      const one = { content: { parts: [{ text: 'a' }] }, taskType: 'RETRIEVAL_QUERY', outputDimensionality: 2 }
      const reply = await json('google/gemini-embedding-001:embedContent', one)
      assert.deepEqual(reply.embedding, { values: [1, 0] })
      const [asked] = (google.requests[0]!.body as { requests: Fields[] }).requests
      assert.deepEqual([asked!.taskType, asked!.outputDimensionality], ['RETRIEVAL_QUERY', 2])
    })

    test('a name without a provider is one of Google', async () => {
      for (const name of ['gemini-3-flash-preview', 'models/gemini-3-flash-preview'])
        assert.equal((await post(`${name}:generateContent`, { contents })).status, 200)
      assert.equal(google.requests.length, 2)
    })

    test('an alias works, and its defaults apply where the caller says nothing', async () => {
      const said = async (generationConfig: object) => {
        const reply = await post('calm:generateContent', { contents, generationConfig, safetySettings: [] })
        assert.equal(reply.status, 200)
        const sent = google.requests.at(-1)!.body as { generationConfig: Fields; safetySettings?: unknown }
        return [sent.generationConfig, sent.safetySettings, reply.headers.get('x-gatehouse-dropped-fields')]
      }
      assert.deepEqual(await said({ maxOutputTokens: 5 }), [
        { temperature: 0, maxOutputTokens: 5 },
        undefined,
        'safetySettings',
      ])
      assert.deepEqual(await said({ temperature: 1 }), [{ temperature: 1 }, [], null])
    })

    test('with hooks that change the request or the answer, code, calls and signatures are still there', async () => {
      const { whole, events } = recordingOf('thinking-with-tools')
      const hooks = { post_hooks: [{ action: 'block_patterns', params: { patterns: ['never'] } }] }
      const signatures = (replies: Reply[]) =>
        replies.flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts)).flatMap(signatureOf)
      google.next(status(200, whole))
      const reply = await json(`${GOOGLE}:generateContent`, { contents, ...hooks })
      assert.deepEqual(signatures([reply]), signatures([whole as Reply]))
      google.next(stream(events, { end: 'clean' }))
      const replies = await streamed(`${GOOGLE}:streamGenerateContent?alt=sse`, { contents, ...hooks })
      assert.deepEqual(signatures(replies), signatures(events as Reply[]))
      const ran = recordingOf('server-tool')
      google.next(status(200, ran.whole))
      const prompted = { contents, pre_hooks: [{ action: 'system_prompt', params: { text: 'Sir!' } }] }
      const code = await json(`${GOOGLE}:generateContent`, prompted)
      assert.deepEqual(code.candidates[0]!.content.parts, (ran.whole as Reply).candidates[0]!.content.parts)
    })
  })

  describe('in front of others', () => {
    test('every field that the chat format has is translated, in either spelling', async () => {
      const schema = {
        type: 'OBJECT',
        properties: { city: { type: 'STRING', nullable: true } },
        propertyOrdering: ['a'],
      }
      await post(`${OPENAI}:generateContent`, {
        system_instruction: { parts: [{ text: 'Sir!' }] },
        contents: { parts: { text: 'Hi' } },
        tools: [{ function_declarations: [{ name: 'weather', description: 'W', parameters: schema }] }],
        tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['weather'] } },
        generation_config: {
          ...{
            temperature: 0.5,
            top_p: 0.9,
            max_output_tokens: 100,
            stop_sequences: ['x'],
            seed: 7,
            candidate_count: 2,
          },
          ...{ presence_penalty: 0.1, frequency_penalty: 0.2, response_logprobs: true, logprobs: 3 },
          ...{ response_mime_type: 'application/json', response_schema: schema },
        },
      })
      const parameters = { type: 'object', properties: { city: { type: ['string', 'null'] } } }
      assert.deepEqual(openai.requests[0]!.body, {
        model: 'gpt-4o-mini',
        messages: [
          { role: 'system', content: 'Sir!' },
          { role: 'user', content: 'Hi' },
        ],
        ...{ temperature: 0.5, top_p: 0.9, max_completion_tokens: 100, n: 2, stop: ['x'], seed: 7 },
        ...{ presence_penalty: 0.1, frequency_penalty: 0.2, logprobs: true, top_logprobs: 3 },
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: parameters } },
        tools: [{ type: 'function', function: { name: 'weather', description: 'W', parameters } }],
        tool_choice: { type: 'function', function: { name: 'weather' } },
      })
    })

    test('calls without ids are matched with their results by name and order', async () => {
      const call = (city: string) => ({ functionCall: { name: 'weather', args: { city } } })
      const result = (said: string) => ({ functionResponse: { name: 'weather', response: { said } } })
      const turns = [
        ...contents,
        { role: 'model', parts: [call('Oslo'), call('Rome')] },
        { role: 'user', parts: [result('rain'), result('sun')] },
      ]
      await post(`${OPENAI}:generateContent`, { contents: turns })
      const [, made, ...results] = (openai.requests[0]!.body as { messages: Fields[] }).messages
      const ids = (made!.tool_calls as Fields[]).map(({ id }) => id)
      assert.deepEqual(
        results.map(({ tool_call_id, content }) => [tool_call_id, content]),
        [
          [ids[0], '{"said":"rain"}'],
          [ids[1], '{"said":"sun"}'],
        ],
      )
    })

    test('images, audio and files arrive as such; what nobody else understands is named', async () => {
      const inline = (mimeType: string) => ({ inlineData: { mimeType, data: 'AAAA' } })
      const video = { fileData: { fileUri: 'https://example.com/a.png', mimeType: 'image/png' } }
      const parts = [inline('image/png'), inline('audio/wav'), inline('application/pdf'), video, { videoMetadata: {} }]
      const generationConfig = { mediaResolution: 'MEDIA_RESOLUTION_LOW' }
      const body = { contents: [{ role: 'user', parts }], generationConfig, safetySettings: [] }
      const reply = await post('openai/gpt-4o:generateContent', body)
      const [message] = (openai.requests[0]!.body as { messages: { content: Fields[] }[] }).messages
      assert.deepEqual(
        message!.content.map(({ type }) => type),
        ['image_url', 'input_audio', 'file', 'image_url'],
      )
      assert.equal(
        reply.headers.get('x-gatehouse-dropped-fields'),
        'safetySettings, generationConfig.mediaResolution, contents.parts.videoMetadata',
      )
    })

    test('a tool that only Google can run is refused and named; web search is translated', async () => {
      const refused = await post(`${OPENAI}:generateContent`, { contents, tools: [{ codeExecution: {} }] })
      assert.equal(refused.status, 422)
      assert.match(await refused.text(), /tools\.codeExecution: OpenAI does not have this; Google's models do/)
      assert.equal(openai.requests.length, 0)
      await post('openai/gpt-4o-search-preview:generateContent', { contents, tools: [{ googleSearch: {} }] })
      assert.deepEqual((openai.requests[0]!.body as Fields).web_search_options, {})
    })

    test('a conversation that another provider began goes on at Google, without its signatures', async () => {
      openai.next(stream(toolEvents([{ id: 'call_1', name: 'weather', arguments: '{}' }])))
      const replies = await streamed(`${OPENAI}:streamGenerateContent?alt=sse`)
      const parts = replies.flatMap(({ candidates }) => candidates[0]!.content.parts)
      const made = parts.find(({ functionCall }) => functionCall)!
      assert.match(String(made.thoughtSignature), /^[A-Za-z0-9+/]+=*$/, 'SDKs decode it as base64')
      const result = { functionResponse: { id: 'call_1', name: 'weather', response: {} } }
      const turns = [...contents, { role: 'model', parts }, { role: 'user', parts: [result] }]
      await post(`${GOOGLE}:generateContent`, { contents: turns })
      const sent = (google.requests[0]!.body as { contents: { parts: Part[] }[] }).contents[1]!.parts
      assert.deepEqual(sent.flatMap(signatureOf), ['skip_thought_signature_validator'])
    })

    test('fallbacks work, also from Google to others', async () => {
      google.always(status(503, { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }))
      const reply = await json(`${GOOGLE}:generateContent`, { contents, fallbacks: [OPENAI] })
      assert.deepEqual([reply.provider, reply.candidates[0]!.content.parts], ['openai', [{ text: 'Hello.' }]])
    })

    test('an uploaded file can be named by its id', async () => {
      const form = new FormData()
      form.set('file', new Blob(['A note.'], { type: 'text/plain' }), 'note.txt')
      const headers = { authorization: `Bearer ${API_KEY}` }
      const uploaded = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers, body: form })
      const { file_id } = (await uploaded.json()) as { file_id: string }
      const parts = [{ fileData: { fileUri: file_id } }, { text: 'Read it.' }]
      await post(`${GOOGLE}:generateContent`, { contents: [{ role: 'user', parts }] })
      const [turn] = (google.requests[0]!.body as { contents: { parts: { inlineData?: Fields }[] }[] }).contents
      assert.equal(Buffer.from(String(turn!.parts[0]!.inlineData?.data), 'base64').toString(), 'A note.')
    })

    test('embeddings: text only, one set of settings, and what is not understood is named', async () => {
      const vectors = {
        object: 'list',
        data: [{ index: 0, embedding: [1] }],
        usage: { prompt_tokens: 1, total_tokens: 1 },
      }
      openai.always(status(200, vectors))
      const one = { content: { parts: [{ text: 'a' }] }, taskType: 'RETRIEVAL_QUERY' }
      const model = 'openai/text-embedding-3-small'
      const reply = await post(`${model}:embedContent`, one)
      assert.equal(reply.headers.get('x-gatehouse-dropped-fields'), 'taskType')
      assert.equal((openai.requests[0]!.body as Fields).task_type, undefined)
      const image = { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } }
      for (const requests of [[image], [one, { ...one, taskType: 'CLUSTERING' }]])
        assert.equal((await post(`${model}:batchEmbedContents`, { requests })).status, 422)
    })

    test('a broken stream raises: events and arrays end without their end', async () => {
      for (const alt of ['?alt=sse', '']) {
        openai.next(stream(textEvents('Hello, world').slice(0, 2), { end: 'rst' }))
        const reply = await post(`${OPENAI}:streamGenerateContent${alt}`, { contents })
        await assert.rejects(reply.text())
      }
    })
  })

  describe('keys and errors', () => {
    test('a key may be in x-goog-api-key or in the address, here only; it is in no log', async () => {
      const open = async (path: string, headers: Record<string, string> = {}) =>
        (await fetch(gateway.url + path, { headers })).status
      const models = '/v3/v1beta/models?pageSize=1'
      assert.equal(await open(models), 401)
      assert.equal(await open(models, { 'x-goog-api-key': API_KEY }), 200)
      assert.equal(await open(`${models}&key=${API_KEY}`), 200)
      assert.equal(await open(`/v1beta/models?key=${API_KEY}`), 200)
      assert.equal(await open(`${models}&key=${API_KEY}&key=other`), 401)
      assert.equal(await open(`/v3/models?key=${API_KEY}`), 401)
      assert.equal(await open(`/v3/v1beta/nothing?key=${API_KEY}`), 404)
      await post(`sandbox/fail-500:generateContent?key=${API_KEY}`, { contents })
      assert.doesNotMatch(gateway.logs(), new RegExp(API_KEY))
    })

    test("errors have Google's shape, with what to change and when to try again", async () => {
      const bad = await post(`${OPENAI}:generateContent`, { contents, generationConfig: { temperature: 'hot' } })
      const { error } = (await bad.json()) as { error: Fields & { details: Fields[] } }
      assert.deepEqual([bad.status, error.code, error.status], [422, 422, 'INVALID_ARGUMENT'])
      const violations = error.details[1]!.fieldViolations as Fields[]
      assert.equal(violations[0]!.field, 'generationConfig.temperature')
      openai.always(failure(429, { message: 'Slow down.' }, { 'retry-after': '7' }))
      const busy = (await (await post(`${OPENAI}:generateContent`, { contents })).json()) as { error: typeof error }
      assert.deepEqual([busy.error.code, busy.error.status], [429, 'RESOURCE_EXHAUSTED'])
      assert.equal(busy.error.details.at(-1)!.retryDelay, '7s')
      const part = { functionCall: { args: {} } }
      const turn = await post(`${OPENAI}:generateContent`, { contents: [{ role: 'model', parts: [part] }] })
      assert.equal(turn.status, 422)
    })
  })

  function post(path: string, body: object | string): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'x-goog-api-key': API_KEY }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return fetch(`${gateway.url}/v3/v1beta/models/${path}`, { method: 'POST', headers, body: text })
  }

  async function json(path: string, body: object = { contents }): Promise<Reply> {
    const reply = await post(path, body)
    assert.equal(reply.status, 200, await reply.clone().text())
    return (await reply.json()) as Reply
  }

  async function streamed(path: string, body: object = { contents }): Promise<Reply[]> {
    const text = await (await post(path, body)).text()
    if (!path.includes('alt=sse')) return JSON.parse(text)
    const lines = text.split('\n').filter((line) => line.startsWith('data:'))
    return lines.map((line) => JSON.parse(line.slice('data:'.length)))
  }
})

function signatureOf({ thoughtSignature }: Part): string[] {
  return thoughtSignature ? [thoughtSignature] : []
}
