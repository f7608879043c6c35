import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { HELLO } from '../../gateway/chat-client.ts'
import { gatewayWithAliases } from '../../gateway/gateway-with-aliases.ts'
import { status } from '../../fakes/behaviours.ts'

// What `routing` says is applied or refused for every kind of name, and never ignored: it says who may see a request.

const { gateway, openai, fake, chat, post } = await gatewayWithAliases()

const allowing = (...providers: string[]) => ({ routing: { allowed_providers: providers } })

describe('routing.allowed_providers', () => {
  for (const [model, allowed, answeredBy] of [
    ['gpt-4o-mini', 'openai', 'openai/gpt-4o-mini'],
    ['gpt-4o-mini', 'fake', 'fake/gpt-4o-mini'],
    ['openai/gpt-4o-mini', 'openai', 'openai/gpt-4o-mini'],
    ['weighted', 'fake', /^fake\/(one|two)$/],
    ['fast', 'openai', 'openai/gpt-4o'],
    ['partly', 'europe', 'europe/y'],
    ['team-one', 'fake', 'fake/one'],
  ] as const)
    test(`${model} is answered by ${allowed}`, async () => {
      const { status, completion } = await chat.whole({ ...HELLO, model, ...allowing(allowed) })
      assert.equal(status, 200)
      if (typeof answeredBy === 'string') assert.equal(completion.model, answeredBy)
      else assert.match(completion.model, answeredBy)
    })

  for (const body of [
    { model: 'openai/gpt-4o-mini', ...allowing('fake') },
    { model: 'gpt-4.1', ...allowing('fake') },
    { model: 'weighted', ...allowing('openai') },
    { model: 'team-one', ...allowing('openai') },
    { model: 'fake/one', fallbacks: ['openai/gpt-4o'], ...allowing('fake') },
    { model: 'fake/one', fallbacks: ['second'], ...allowing('fake') },
    { model: '@service', router_candidates: ['fake/one'], fallbacks: ['openai/gpt-4o'], ...allowing('fake') },
    { model: 'fake/one', ...allowing('nowhere') },
  ])
    test(`${JSON.stringify(body)} is a 422, and no provider is asked`, async () => {
      for (const stream of [false, true]) {
        const { status, text } = await post('/v3/chat/completions', { ...HELLO, ...body, stream })
        assert.equal(status, 422, text)
        assert.match(text, /allowed_providers/)
      }
      assert.deepEqual([openai.requests.length, fake.requests.length], [0, 0])
    })

  test('a provider that is not allowed is not the fallback of an alias', async () => {
    fake.always(status(500, {}))
    const { status: code } = await chat.whole({ ...HELLO, model: 'fast', ...allowing('fake') })
    assert.equal(code, 502)
    assert.equal(openai.requests.length, 0)
  })

  test('holds in every format of a chat', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
    for (const [path, body] of [
      ['/v3/v1/messages', { model: 'gpt-4o-mini', max_tokens: 9, ...HELLO }],
      ['/v3/responses', { model: 'gpt-4o-mini', input: 'Hello' }],
      ['/v3/v2/chat', { model: 'gpt-4o-mini', ...HELLO }],
      ['/v3/v1beta/models/gpt-4o-mini:generateContent', { contents }],
    ] as const) {
      const { status, text } = await post(path, { ...body, ...allowing('fake') })
      assert.equal(status, 200, `${path}: ${text}`)
    }
    assert.deepEqual([openai.requests.length, fake.requests.length], [0, 4])
  })
})

test('settings of the router are refused for a model that the caller names', async () => {
  for (const model of ['openai/gpt-4o-mini', 'gpt-4o-mini', 'fast'])
    for (const [member, value] of Object.entries({ sort: 'quality', quality_cost: 0 })) {
      const { status, text } = await post('/v3/chat/completions', { ...HELLO, model, routing: { [member]: value } })
      assert.equal(status, 422)
      assert.deepEqual(JSON.parse(text).detail[0].loc, ['body', 'routing', member])
    }
  for (const routing of [null, {}, { sort: null, quality_cost: null, allowed_providers: null }, { retries: 0 }])
    assert.equal((await post('/v3/chat/completions', { ...HELLO, model: 'fast', routing })).status, 200)
})

test('endpoints that do not have the field refuse it', async () => {
  openai.reset()
  for (const [path, body] of [
    ['/v3/embeddings', { model: 'text-embedding-3-small', input: 'Hello' }],
    ['/v3/rerank', { model: 'rerank-v3.5', query: 'Hello', documents: ['Hi'] }],
    ['/v3/moderations', { model: 'omni-moderation-latest', input: 'Hello' }],
    ['/v3/audio/speech', { model: 'tts-1', input: 'Hello', voice: 'alloy' }],
    ['/v3/images/generations', { model: 'gpt-image-2', prompt: 'A door' }],
    [
      '/v3/images/edits',
      { model: 'gpt-image-2', prompt: 'A door', images: [{ image_url: 'data:image/png;base64,AA==' }] },
    ],
    ['/v3/universal-ai', { model: 'text/summarize/gpt-4o-mini', input: { text: 'Hello' } }],
    ['/v3/universal-ai/async', { model: 'text/summarize/gpt-4o-mini', input: { text: 'Hello' } }],
    ['/v3/v1/messages/count_tokens', { model: 'gpt-4o-mini', ...HELLO }],
    ['/v3/responses/compact', { model: 'gpt-4o-mini', input: 'Hello' }],
  ] as const) {
    const { status, text } = await post(path, { ...body, ...allowing('fake') })
    assert.equal(status, 422, `${path}: ${text}`)
    assert.match(text, /routing/, path)
  }
  const form = new FormData()
  form.set('model', 'whisper-1')
  form.set('file', new Blob([new Uint8Array(4_000)], { type: 'audio/wav' }), 'a.wav')
  form.set('routing', JSON.stringify(allowing('fake').routing))
  const headers = { authorization: `Bearer ${API_KEY}` }
  const sent = await fetch(`${gateway.url}/v3/audio/transcriptions`, { method: 'POST', headers, body: form })
  assert.equal(sent.status, 422, await sent.text())
  assert.equal(openai.requests.length, 0)
})
