import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { OpenAI } from 'openai'
import { type Behaviour, failure, status } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

type OfGateway = { id?: string; provider?: string; cost?: number | null }

const VECTOR = [0.25, -0.5, 1]
const usage = { prompt_tokens: 1_000_000, total_tokens: 1_000_000 }
const model = 'openai/text-embedding-3-small'

const KINDS = {
  'chat/completions': 'openai/gpt-4o',
  responses: 'openai/gpt-5-pro',
  embeddings: 'openai/text-embedding-3-small',
  moderations: 'openai/omni-moderation-latest',
  'audio/speech': 'openai/tts-1',
  'audio/transcriptions': 'openai/whisper-1',
  'images/generations': 'openai/gpt-image-2',
}

const CHAT_FORMATS = new Set(['chat/completions', 'v1/messages', 'responses'])

describe('embeddings and moderations, by the official SDK', () => {
  let gateway: GatewayUnderTest
  let fake: FakeProvider
  let client: OpenAI
  let sandbox: OpenAI
  before(async () => {
    fake = await startFakeProvider({ everyPath: true })
    gateway = await startGateway({ env: { OPENAI_BASE_URL: fake.url, OPENAI_API_KEY: 'sk-fake-0123456789' } })
    client = clientWith(API_KEY)
    sandbox = clientWith(await sandboxKey())
  })
  beforeEach(() => fake.reset())
  after(async () => {
    await gateway.close()
    await fake.close()
  })

  test('the body goes on as it is, under the name that the provider knows', async () => {
    fake.always(embedded(VECTOR))
    const inputs = ['one', ['one', 'two'], [1, 2, 3], [[1, 2], [3]]]
    for (const input of inputs) {
      const reply = await client.embeddings.create({
        model,
        input,
        dimensions: 3,
        user: 'me',
        encoding_format: 'float',
      })
      assert.deepEqual(reply.data[0]?.embedding, VECTOR)
      // Clients of Mistral demand an id, which other providers do not send.
      assert.match((reply as OfGateway).id ?? '', /^embd-req_/)
      assert.deepEqual([reply.model, (reply as OfGateway).provider, (reply as OfGateway).cost], [model, 'openai', 0.02])
    }
    assert.deepEqual(
      fake.requests.map(({ path, body }) => [path, body]),
      inputs.map((input) => [
        '/v1/embeddings',
        { model: 'text-embedding-3-small', input, dimensions: 3, user: 'me', encoding_format: 'float' },
      ]),
    )
  })

  test('numbers come in the requested format, whatever the provider sent', async () => {
    const packed = Buffer.from(Float32Array.from(VECTOR).buffer).toString('base64')
    for (const sent of [VECTOR, packed]) {
      fake.always(embedded(sent))
      assert.deepEqual((await client.embeddings.create({ model, input: 'x' })).data[0]?.embedding, VECTOR)
      const request = { model, input: 'x', encoding_format: 'base64' as const }
      assert.equal((await client.embeddings.create(request)).data[0]?.embedding as unknown, packed)
      const plain = await client.embeddings.create({ ...request, encoding_format: 'float' })
      assert.deepEqual(plain.data[0]?.embedding, VECTOR)
    }
  })

  test('a provider’s refusal is passed on in its words; an invalid answer is a failure of the provider', async () => {
    fake.always(failure(400, { message: 'No such dimension.', code: 'invalid_value', param: 'dimensions' }))
    await assert.rejects(client.embeddings.create({ model, input: 'x' }), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError)
      assert.match(error.message, /No such dimension/)
      return true
    })
    fake.always(status(200, { nothing: true }))
    await assert.rejects(client.embeddings.create({ model, input: 'x' }), OpenAI.InternalServerError)
  })

  test('a model of another kind is refused by every endpoint, with the one that serves it', async () => {
    const bodies: Record<string, object> = {
      'chat/completions': { messages: [{ role: 'user', content: 'x' }] },
      'v1/messages': { max_tokens: 5, messages: [{ role: 'user', content: 'x' }] },
      'audio/speech': { input: 'x', voice: 'y' },
      'audio/transcriptions': { file_url: `${fake.url}/a` },
      'images/generations': { prompt: 'x' },
    }
    for (const path of ['v1/messages', ...Object.keys(KINDS)])
      for (const [endpoint, model] of Object.entries(KINDS)) {
        // Models that chat are served in all three formats of a chat, also those whose provider has only responses for them.
        if (path === endpoint || (CHAT_FORMATS.has(path) && CHAT_FORMATS.has(endpoint))) continue
        const reply = await post(path, { model, input: 'x', ...bodies[path] })
        const { error } = (await reply.json()) as { error?: { code: string; message: string } }
        assert.deepEqual([reply.status, error?.code], [400, 'unsupported_endpoint'], `${path} ${model}`)
        assert.ok(error?.message.includes(`'${model}' (supports: /${endpoint})`), `${path}: ${error?.message}`)
      }
    assert.equal(fake.requests.length, 0)
  })

  test('input that is none of the four forms is refused', async () => {
    for (const input of [null, 5, {}, [{}], [['x']], ['x', 1], [1.5]])
      await assert.rejects(
        client.embeddings.create({ model, input: input as never }),
        OpenAI.UnprocessableEntityError,
        JSON.stringify(input),
      )
  })

  test('the sandbox gives vectors of length one, the same for the same text, and reaches no provider', async () => {
    const {
      data,
      model: named,
      ...rest
    } = await sandbox.embeddings.create({ model, input: ['a', 'b', 'a'], dimensions: 8 })
    const [a, b, again] = data.map(({ embedding }) => embedding)
    assert.deepEqual(
      [a?.length, named, (rest as OfGateway).cost, (rest as OfGateway).provider],
      [8, model, 0, 'sandbox'],
    )
    assert.ok(Math.abs(Math.hypot(...a!) - 1) < 1e-6)
    assert.deepEqual(a, again)
    assert.notDeepEqual(a, b)
    assert.equal(fake.requests.length, 0)
  })

  test('moderations: texts, parts, the usual model, the sandbox', async () => {
    const results = [{ flagged: true, categories: { hate: true }, category_scores: { hate: 0.9 } }]
    fake.always(status(200, { id: 'modr-1', model: 'omni-moderation-latest', results }))
    const parts = [{ type: 'text' as const, text: 'x' }]
    for (const input of ['x', ['x', 'y'], parts]) {
      const reply = await client.moderations.create({ input })
      assert.deepEqual([reply.id, reply.results, reply.model], ['modr-1', results, 'openai/omni-moderation-latest'])
      assert.deepEqual([(reply as OfGateway).cost, (reply as OfGateway).provider], [0, 'openai'])
    }
    assert.deepEqual(fake.requests.at(-1)?.body, { model: 'omni-moderation-latest', input: parts })
    const judged = await sandbox.moderations.create({ input: ['peace', 'violence'] })
    assert.deepEqual(
      judged.results.map(({ flagged, categories }) => [flagged, categories.violence]),
      [
        [false, false],
        [true, true],
      ],
    )
    assert.equal(fake.requests.length, 3)
  })

  test('each has a list of its models, and a line in the ledger', async () => {
    for (const [path, known] of [
      ['embeddings', 'openai/text-embedding-3-small'],
      ['moderations', 'openai/omni-moderation-latest'],
      ['audio/speech', 'openai/tts-1'],
      ['audio/transcriptions', 'openai/whisper-1'],
    ]) {
      const reply = await fetch(`${gateway.url}/v3/${path}/models`, { headers: { authorization: `Bearer ${API_KEY}` } })
      const { data } = (await reply.json()) as { data: { id: string }[] }
      assert.ok(data.some(({ id }) => id === known) && !data.some(({ id }) => id === 'openai/gpt-4o'), path)
    }
    fake.always(embedded(VECTOR))
    const before = await spent()
    await client.embeddings.create({ model, input: 'x' })
    assert.equal(Math.round((await spent()) - before), usage.prompt_tokens)
  })

  function post(path: string, body: object): Promise<Response> {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    return fetch(`${gateway.url}/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  function clientWith(apiKey: string): OpenAI {
    return new OpenAI({ apiKey, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
  }

  async function sandboxKey(): Promise<string> {
    const body = JSON.stringify({ name: 'sandbox', kind: 'sandbox' })
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
    const reply = await fetch(`${gateway.adminUrl}/admin/keys`, { method: 'POST', headers, body })
    return ((await reply.json()) as { key: string }).key
  }

  /** The tokens of the model so far, from the metrics. */
  async function spent(): Promise<number> {
    const text = gateway.gateway.services.calls.metrics.write()
    const line = /^gatehouse_tokens_total\{[^}]*text-embedding-3-small[^}]*\} (\S+)$/m.exec(text)
    return Number(line?.[1] ?? 0)
  }
})

function embedded(embedding: unknown): Behaviour {
  return status(200, { object: 'list', data: [{ object: 'embedding', index: 0, embedding }], model: 'x', usage })
}
