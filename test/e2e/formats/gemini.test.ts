import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RECORDINGS, recordingOf } from '../../../src/translation/dialects/gemini/fixtures/recordings.ts'
import { failure, status } from '../../fakes/behaviours.ts'
import { stream } from '../../fakes/stream.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { geminiGateway, contents, GOOGLE, OPENAI, type Fields, type Part, type Reply } from './gemini-gateway.ts'

// The Gemini format in front of Google, where it passes unchanged; its keys and its errors.

const { google, openai, gateway, post, json, streamed } = await geminiGateway()

describe('the Gemini format in front of Google', () => {
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
    assert.deepEqual(await said({ maxOutputTokens: 5 }), [{ temperature: 0, maxOutputTokens: 5 }, [], null])
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

describe('keys and errors of the Gemini format', () => {
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

function signatureOf({ thoughtSignature }: Part): string[] {
  return thoughtSignature ? [thoughtSignature] : []
}
