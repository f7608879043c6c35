import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { failure, status } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

type Reply = {
  id: string
  model: string
  provider: string
  cost: number | null
  results: { index: number; relevance_score: number; document?: object }[]
  usage: object
  meta: object
  error?: { message: string; code: string; param: string | null }
}

const DOCUMENTS = ['It rains.', 'A cat sits on the mat.', 'A dog barks.']
const RANKED = [
  { index: 1, relevance_score: 0.9 },
  { index: 2, relevance_score: 0.5 },
]
const BY_COHERE = { id: 'of-cohere', results: RANKED, meta: { billed_units: { search_units: 2 } } }

describe('rerank', () => {
  let gateway: GatewayUnderTest
  let fake: FakeProvider
  let folder: string
  before(async () => {
    fake = await startFakeProvider({ everyPath: true })
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-config-'))
    const file = join(folder, 'gatehouse.config.json')
    const aliases = {
      ranker: {
        targets: [{ model: 'voyage/rerank-2.5' }],
        fallbacks: ['cohere/rerank-v3.5'],
        defaults: { max_tokens_per_doc: 100 },
      },
    }
    await writeFile(file, JSON.stringify({ aliases }))
    const rows = ['COHERE', 'VOYAGE', 'JINA', 'OPENAI', 'NVIDIA'].flatMap((name) => [
      [`${name}_BASE_URL`, fake.url],
      [`${name}_API_KEY`, 'key-0123456789'],
    ])
    gateway = await startGateway({
      env: { ...Object.fromEntries(rows), VLLM_BASE_URL: fake.url, GATEHOUSE_CONFIG: file },
    })
  })
  beforeEach(() => fake.reset())
  after(async () => {
    await gateway.close()
    await fake.close()
    await rm(folder, { recursive: true })
  })

  test('each provider gets its own format, and its answer and price come back in ours', async () => {
    const tokens = { total_tokens: 1_000_000 }
    const cases = [
      ['cohere/rerank-v3.5', BY_COHERE, 0.004, { top_n: 2 }, { search_units: 2 }],
      ['voyage/rerank-2.5', { data: RANKED, usage: tokens }, 0.05, { top_k: 2 }, tokens],
      [
        'jina/jina-reranker-v2-base-multilingual',
        { results: RANKED, usage: tokens },
        0.018,
        { top_n: 2, return_documents: false },
        tokens,
      ],
      ['vllm/my-reranker', { results: RANKED, usage: tokens }, null, { top_n: 2, return_documents: false }, tokens],
    ] as const
    for (const [model, answer, cost, own, usage] of cases) {
      fake.next(status(200, answer))
      const { body } = await rerank({ model, query: 'cat', documents: DOCUMENTS, top_n: 2, user: 'me' })
      assert.deepEqual([body.model, body.cost, body.usage], [model, cost, usage])
      assert.deepEqual(body.results, RANKED)
      const [provider, name] = model.split('/') as [string, string]
      const { path, body: sent } = fake.requests.at(-1)!
      assert.equal(body.provider, provider)
      assert.deepEqual([path, sent], ['/v1/rerank', { ...own, model: name, query: 'cat', documents: DOCUMENTS }])
    }
  })

  test('documents may be objects, come back on request, and are sorted and cut by the gateway', async () => {
    const documents = [{ text: 'one' }, 'two', { text: 'three', id: 3 }]
    const results = [2, 0, 1].map((index) => ({ index, relevance_score: index / 10 }))
    fake.always(status(200, { results }))
    const { body } = await rerank({ ...ASKED, documents, top_n: 2, return_documents: true })
    assert.deepEqual(body.results, [
      { index: 2, relevance_score: 0.2, document: { text: 'three', id: 3 } },
      { index: 1, relevance_score: 0.1, document: { text: 'two' } },
    ])
    assert.equal(body.cost, null, 'the searches were not counted')
    assert.deepEqual((fake.requests[0]!.body as { documents: string[] }).documents, ['one', 'two', 'three'])
    const named = { documents: [{ title: 'A', year: 3 }, { year: 4 }], rank_fields: ['title', 'year'] }
    fake.always(status(200, { results: [{ index: 0, relevance_score: 1 }] }))
    await rerank({ ...ASKED, ...named })
    assert.deepEqual((fake.requests[1]!.body as { documents: string[] }).documents, ['title: A\nyear: 3', 'year: 4'])
  })

  test('an embedding model ranks by the similarity of vectors, with a note about fields that it does not have', async () => {
    const vectors = [
      [1, 0],
      [0, 1],
      [1, 0.1],
      [1, 1],
    ]
    const data = vectors.map((embedding, index) => ({ index, embedding })).reverse()
    fake.always(status(200, { data, usage: { prompt_tokens: 1_000_000, total_tokens: 1_000_000 } }))
    const request = { model: 'openai/text-embedding-3-small', query: 'cat', documents: DOCUMENTS, truncation: true }
    const { body, headers } = await rerank(request)
    assert.deepEqual(
      body.results.map(({ index }) => index),
      [1, 2, 0],
    )
    assert.deepEqual([body.cost, headers.get('x-gatehouse-dropped-fields')], [0.02, 'truncation'])
    const sent = fake.requests[0]!
    assert.deepEqual([sent.path, (sent.body as { input: string[] }).input], ['/v1/embeddings', ['cat', ...DOCUMENTS]])
  })

  test('the engine of the gateway and the sandbox rank without a provider, for nothing', async () => {
    const asked = { query: 'the cat sits', documents: DOCUMENTS, top_n: 1 }
    for (const model of ['local/rerank', 'sandbox/rerank']) {
      const { status: code, body } = await rerank({ ...asked, model })
      assert.deepEqual(
        [code, body.results[0]?.index, body.results.length, body.cost],
        [200, 1, 1, 0],
        JSON.stringify(body),
      )
    }
    const tooMany = await rerank({ ...asked, model: 'local/rerank', documents: Array(101).fill('x') })
    assert.deepEqual([tooMany.status, /up to 100 texts/.test(tooMany.body.error!.message)], [422, true])
    const key = await keyWith({ kind: 'sandbox' })
    const simulated = await rerank({ ...asked, model: 'cohere/rerank-v3.5' }, key)
    assert.deepEqual([simulated.status, simulated.body.results[0]?.index, simulated.body.cost], [200, 1, 0])
    assert.equal(fake.requests.length, 0)
  })

  test('aliases, their defaults and fallbacks, and bare names work as elsewhere', async () => {
    fake.next(failure(500))
    fake.next(status(200, BY_COHERE))
    const { body, headers } = await rerank({ ...ASKED, model: 'ranker' })
    assert.deepEqual([body.model, headers.get('x-gatehouse-attempts')], ['cohere/rerank-v3.5', '2'])
    assert.equal((fake.requests[0]!.body as { max_tokens_per_doc: number }).max_tokens_per_doc, 100)
    fake.next(status(200, BY_COHERE))
    assert.equal((await rerank({ ...ASKED, model: 'rerank-v3.5' })).body.model, 'cohere/rerank-v3.5')
  })

  test('what cannot be done is refused with the reason, before a provider is asked', async () => {
    const cases: [object, number, RegExp][] = [
      [{ documents: [] }, 422, /./],
      [{ query: '' }, 422, /./],
      [{ top_n: 0 }, 422, /./],
      [{ documents: ['x', { title: 'y' }] }, 422, /documents\.1: send a text/],
      [{ documents: [{ a: 1 }], rank_fields: ['b'] }, 422, /none of the members that `rank_fields` names/],
      [{ model: 'openai/gpt-4o' }, 400, /supports: \/chat\/completions/],
      [{ model: 'nvidia/nvidia/llama-3_2-nv-rerankqa-1b-v2' }, 400, /in its own format/],
      [{ extra_headers: { authorization: 'x' } }, 422, /./],
    ]
    for (const [change, code, message] of cases) {
      const reply = await rerank({ ...ASKED, ...change })
      assert.equal(reply.status, code, JSON.stringify([change, reply.body]))
      assert.match(reply.body.error!.message, message)
    }
    const forbidden = await rerank(ASKED, await keyWith({ scopes: ['chat'] }))
    const other = await rerank(ASKED, await keyWith({ scopes: ['universal', 'model:jina/*'] }))
    assert.deepEqual([forbidden.status, other.status, fake.requests.length], [403, 403, 0])
    const chat = await post('/v3/chat/completions', { model: ASKED.model, messages: [{ role: 'user', content: 'x' }] })
    assert.match(((await chat.json()) as Reply).error!.message, /supports: \/rerank/)
  })

  test('an answer that is not a ranking of these documents is a failure of the provider', async () => {
    const wrong = [
      { results: [{ index: 3, relevance_score: 1 }] },
      { results: [{ index: 0, relevance_score: 'x' }] },
      { results: [RANKED[0], RANKED[0]] },
      { nothing: true },
    ]
    for (const answer of wrong) {
      fake.next(status(200, answer))
      assert.equal((await rerank(ASKED)).status, 502, JSON.stringify(answer))
    }
    fake.next(status(400, { message: 'too many documents' }))
    const refused = await rerank(ASKED)
    assert.deepEqual([refused.status, /too many documents/.test(refused.body.error!.message)], [400, true])
  })

  test('clients of Cohere embed and rerank by changing their base URL, with any model', async () => {
    const vectors = [
      [0.25, -0.5],
      [1, 0],
    ]
    fake.next(status(200, { embeddings: { float: vectors }, meta: { billed_units: { input_tokens: 1_000_000 } } }))
    const texts = ['one', 'two']
    const asked = {
      texts,
      input_type: 'classification',
      truncate: 'END',
      embedding_types: ['float', 'base64'],
      output_dimension: 2,
    }
    const reply = await post('/v2/embed', { ...asked, model: 'cohere/embed-v4.0' })
    const { id, embeddings, meta, cost, ...rest } = (await reply.json()) as Record<string, unknown>
    assert.deepEqual([typeof id, cost], ['string', 0.12])
    const base64 = vectors.map((vector) => Buffer.from(Float32Array.from(vector).buffer).toString('base64'))
    assert.deepEqual(
      [embeddings, rest.texts, rest.response_type],
      [{ float: vectors, base64 }, texts, 'embeddings_by_type'],
    )
    assert.deepEqual(meta, { api_version: { version: '2' }, billed_units: { input_tokens: 1_000_000 } })
    const { input_type, truncate, output_dimension } = fake.requests[0]!.body as typeof asked
    assert.deepEqual([input_type, truncate, output_dimension], ['classification', 'END', 2])

    const data = vectors.map((embedding, index) => ({ index, embedding }))
    fake.always(status(200, { data, usage: { total_tokens: 2 } }))
    const inputs = texts.map((text) => ({ content: [{ type: 'text', text }] }))
    const query = { inputs, input_type: 'search_query', truncate: 'END' }
    const byVoyage = await post('/v3/v2/embed', { ...query, model: 'voyage/voyage-3.5' })
    assert.equal(byVoyage.headers.get('x-gatehouse-dropped-fields'), 'truncate')
    assert.equal((fake.requests[1]!.body as { input_type: string }).input_type, 'query')
    const byOpenAI = await post('/v2/embed', { ...query, model: 'text-embedding-3-small' })
    assert.equal(byOpenAI.headers.get('x-gatehouse-dropped-fields'), 'input_type, truncate')
    assert.deepEqual(fake.requests[2]!.body, { input: texts, model: 'text-embedding-3-small' })

    fake.always(status(200, BY_COHERE))
    for (const path of ['/v2/rerank', '/v3/v2/rerank', '/v1/rerank', '/v3/v1/rerank']) {
      const ranked = (await (await post(path, ASKED)).json()) as Reply
      assert.deepEqual([ranked.id, ranked.results], ['of-cohere', RANKED])
      assert.deepEqual(ranked.meta, { billed_units: { search_units: 2 } })
    }
  })

  test('clients of Cohere read the reason of a refusal in `message`', async () => {
    const embed = { model: 'cohere/embed-v4.0', texts: ['x'] }
    const cases: [string, object, RegExp][] = [
      ['/v2/embed', { ...embed, images: ['data:image/png;base64,AA=='] }, /images: only text/],
      ['/v2/embed', { ...embed, embedding_types: ['float', 'int8'] }, /embedding_types\.1: vectors come as/],
      ['/v2/embed', { ...embed, inputs: [{ content: [] }] }, /either `texts` or `inputs`/],
      [
        '/v2/embed',
        { model: embed.model, inputs: [{ content: [{ type: 'image_url' }] }] },
        /inputs\.0\.content: only text/,
      ],
      ['/v2/rerank', { ...ASKED, documents: [{}] }, /documents\.0: send a text/],
    ]
    for (const [path, body, message] of cases) {
      const reply = await post(path, body)
      const refused = (await reply.json()) as { message: string }
      assert.deepEqual([reply.status, message.test(refused.message)], [422, true], JSON.stringify([body, refused]))
    }
    assert.equal(fake.requests.length, 0)
  })

  test('models that can rank are listed, and a call has its line in the ledger and the metrics', async () => {
    const listed = await fetch(`${gateway.url}/v3/rerank/models`, { headers: bearer(API_KEY) })
    const ids = ((await listed.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
    for (const id of ['cohere/rerank-v3.5', 'local/rerank', 'sandbox/rerank']) assert.ok(ids.includes(id), id)
    assert.ok(!ids.some((id) => id.startsWith('nvidia/')))
    const own = await keyWith({ name: 'ledger' })
    fake.always(status(200, BY_COHERE))
    await rerank(ASKED, own)
    const metrics = gateway.gateway.services.calls.metrics.write()
    assert.match(metrics, /gatehouse_\w+\{[^}]*provider="cohere"[^}]*model="cohere\/rerank-v3\.5"/)
    await gateway.gateway.services.calls.ledger.flush()
    const usage = await fetch(`${gateway.adminUrl}/admin/usage`, { headers: bearer(ADMIN_KEY) })
    assert.match(await usage.text(), /cohere\/rerank-v3\.5|cohere/)
  })

  const ASKED = { model: 'cohere/rerank-v3.5', query: 'cat', documents: DOCUMENTS }

  async function rerank(body: object, key = API_KEY) {
    const reply = await post('/v3/rerank', body, key)
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Reply }
  }

  function post(path: string, body: object, key = API_KEY): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...bearer(key) }
    return fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  async function keyWith(more: object): Promise<string> {
    const headers = { 'content-type': 'application/json', ...bearer(ADMIN_KEY) }
    const body = JSON.stringify({ name: 'of a test', ...more })
    const made = await fetch(`${gateway.adminUrl}/admin/keys`, { method: 'POST', headers, body })
    return ((await made.json()) as { key: string }).key
  }
})

function bearer(key: string) {
  return { authorization: `Bearer ${key}` }
}
