import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ModelList, type ModelObject } from '../../../src/contract/models.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import { silence } from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

type Reply = {
  status: number
  headers: Headers
  body: { data: ModelObject[] } & ModelObject & { error: { code: string; param: string } }
}

/** The providers that need no setting. */
const INSIDE = new Set(['local', 'sandbox'])

describe('models, and who may use which', () => {
  let gateway: GatewayUnderTest
  let provider: FakeProvider
  before(async () => {
    provider = await startFakeProvider()
    gateway = await startGateway({
      env: { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url },
      overrides: { heartbeatMs: 20 },
    })
  })
  after(async () => {
    await gateway.close()
    await provider.close()
  })

  test('the list has the promised shape', async () => {
    const { status, headers, body } = await get('/v3/models')
    assert.equal(status, 200)
    assert.match(headers.get('content-type')!, /^application\/json/)
    assert.deepEqual(validator(ModelList).issues(body, []), [])
    const model = body.data.find(({ id }) => id === 'openai/gpt-4o')!
    assert.equal(model.owned_by, 'openai')
    assert.equal(model.model_name, 'gpt-4o')
    assert.equal(model.context_length, 128_000)
    assert.deepEqual(model.pricing, {
      input_cost_per_token: 0.0000025,
      output_cost_per_token: 0.00001,
      service_tiers: {
        priority: {
          input_cost_per_token: 0.00000425,
          output_cost_per_token: 0.000017,
          cache_read_input_token_cost: 0.000002125,
        },
      },
      cache_read_input_token_cost: 0.00000125,
    })
    assert.equal(new Set(idsOf(body)).size, body.data.length)
    const echo = body.data.find(({ id }) => id === 'sandbox/echo')!.capabilities as Record<string, unknown>
    assert.deepEqual([echo.supports_function_calling, echo.supports_response_schema], [true, true])
  })

  test('an unchanged list is 304 for a client that has it', async () => {
    const first = await get('/v3/models')
    const etag = first.headers.get('etag')!
    assert.match(etag, /^"[0-9a-f]+"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await raw('/v3/models', API_KEY, { 'if-none-match': known })
      assert.equal(again.status, 304, known)
      assert.equal(await again.text(), '')
      assert.equal(again.headers.get('etag'), etag)
      assert.equal(again.headers.get('cache-control'), 'no-store')
    }
    assert.equal((await raw('/v3/models', API_KEY, { 'if-none-match': '"other"' })).status, 200)
    const eu = await raw('/v3/models', await issue({ region: 'eu' }), { 'if-none-match': etag })
    assert.equal(eu.status, 200)
  })

  test('providers that are set up are listed, and on demand the whole catalog', async (t) => {
    const bare = await startGateway()
    t.after(() => bare.close())
    for (const path of ['/v3/models', '/v3/models?available=true', '/v3/models?all=false']) {
      const { body } = await get(path, API_KEY, bare.url)
      assert.deepEqual(new Set(body.data.map(({ owned_by }) => owned_by)), INSIDE)
    }
    const all = await get('/v3/models?all=true', API_KEY, bare.url)
    assert.ok(all.body.data.length > 1_000)
    assert.deepEqual(
      new Set(
        all.body.data.filter((model) => (model as { available?: boolean }).available).map(({ owned_by }) => owned_by),
      ),
      INSIDE,
    )
    const reply = await chat({ model: 'openai/gpt-4o' }, API_KEY, bare.url)
    assert.equal(reply.status, 424)
    assert.match(JSON.stringify(reply.body), /OPENAI_API_KEY/)
  })

  test('a key of a region sees only what is served there, and gets 451 for the rest', async () => {
    const key = await issue({ region: 'eu' })
    const { body } = await get('/v3/models', key)
    assert.ok(body.data.length > 0)
    assert.ok(body.data.every(({ regions }) => regions!.some(({ code }) => code === 'eu')))
    assert.ok(!idsOf(body).includes('openai/gpt-4o'))
    assert.equal((await get('/v3/models/openai/gpt-4o', key)).status, 404)
    await assertRefused({ model: 'openai/gpt-4o' }, key, 451, 'region_not_allowed')
    await assertRefused({ model: 'openai/not-in-any-list' }, key, 451, 'region_not_allowed')
    await assertRefused({ model: 'sandbox/echo', fallbacks: ['openai/gpt-4o'] }, key, 451, 'region_not_allowed')
    await assertRefused({ model: 'openai/gpt-4o', stream: true }, key, 451, 'region_not_allowed')
    assert.equal((await chat({ model: 'sandbox/echo' }, key)).status, 200)
  })

  test('endpoint scopes: a key for one endpoint gets 403 at the others', async () => {
    const [chatOnly, modelsOnly] = [await issue({ scopes: ['chat'] }), await issue({ scopes: ['models'] })]
    assert.equal((await chat({ model: 'sandbox/echo' }, chatOnly)).status, 200)
    assert.equal((await get('/v3/models', modelsOnly)).status, 200)
    for (const path of ['/v3/models', '/v3/models/sandbox/echo']) {
      const { status, body } = await get(path, chatOnly)
      assert.deepEqual([status, body.error.code], [403, 'not_allowed'])
    }
    await assertRefused({ model: 'sandbox/echo' }, modelsOnly, 403, 'not_allowed')
  })

  test('model scopes: a key for some models sees those, and gets 403 for the rest', async () => {
    const key = await issue({ scopes: ['model:sandbox/*', 'model:openai/gpt-4o'] })
    const { body } = await get('/v3/models', key)
    assert.ok(idsOf(body).every((id) => id === 'openai/gpt-4o' || id.startsWith('sandbox/')))
    assert.ok(idsOf(body).includes('openai/gpt-4o') && idsOf(body).includes('sandbox/echo'))
    assert.equal((await chat({ model: 'openai/gpt-4o' }, key)).status, 200)
    for (const model of ['openai/gpt-4o-mini', 'openai/gpt-4', 'openai/GPT-4o', 'openai//gpt-4o'])
      await assertRefused({ model }, key, 403, 'not_allowed')
    await assertRefused({ model: 'sandbox/echo', fallbacks: ['openai/gpt-4o-mini'] }, key, 403, 'not_allowed')
    await assertRefused({ model: 'sandbox/echo', stream: true, fallbacks: ['openai/gpt-4'] }, key, 403, 'not_allowed')
    assert.equal((await get('/v3/models/openai/gpt-4o-mini', key)).status, 404)
  })

  test('one model, with its slashes as they are or encoded; 404 for what is not there', async () => {
    for (const path of ['openai/gpt-4o', 'openai/gpt-4o/', 'openai%2Fgpt-4o', 'openai%2fgpt-4o', '%6fpenai/gpt-4o']) {
      const { status, headers, body } = await get(`/v3/models/${path}`)
      assert.deepEqual([status, body.id], [200, 'openai/gpt-4o'], path)
      assert.ok(headers.get('etag'))
    }
    for (const path of [
      'openai/none',
      'none',
      'openai',
      'openai/',
      '/openai/gpt-4o',
      'constructor',
      '__proto__',
      '%F0%9F%98%80',
      `x${'y'.repeat(5_000)}`,
    ]) {
      const { status, body } = await get(`/v3/models/${path}`)
      assert.deepEqual([status, body.error.code], [404, 'model_not_found'], path)
    }
  })

  test('an unknown model is 404 in chat, and no provider is called', async () => {
    const seen = provider.requests.length
    for (const model of [
      '',
      'gpt-4o-x',
      '/',
      '/gpt-4o',
      'openai/',
      'none/gpt-4o',
      'constructor/x',
      '__proto__/x',
      'sandbox/none',
      'OpenAI/gpt-4o',
    ])
      await assertRefused({ model }, API_KEY, 404, 'model_not_found')
    assert.equal(provider.requests.length, seen)
  })

  test('a model name that no header can carry is answered like any other', async () => {
    for (const name of ['\ud800', 'é', '\n\r\u001b[31m', 'm'.repeat(400)]) {
      const reply = await chat({ model: `openai/${name}` }, API_KEY)
      assert.equal(reply.status, 200)
      assert.match(reply.headers.get('x-gatehouse-model')!, /^openai\/[!-~]{1,3000}$/)
    }
  })

  test('a name longer than any provider has is no model, and is not repeated', async () => {
    const reply = await chat({ model: `openai/${'m'.repeat(1_000_000)}` }, API_KEY)
    assert.equal(reply.status, 404)
    assert.ok(JSON.stringify(reply).length < 2_000)
  })

  test('such a name does no harm when a heartbeat opens the stream', async () => {
    provider.next(silence())
    const leaving = new AbortController()
    const response = await post({ model: 'openai/\udfff', stream: true }, API_KEY, gateway.url, leaving.signal)
    assert.equal(response.status, 200)
    const { value } = await response.body!.getReader().read()
    assert.match(new TextDecoder().decode(value), /^:/)
    leaving.abort()
  })

  async function assertRefused(body: object, key: string, status: number, code: string): Promise<void> {
    const reply = await chat(body, key)
    assert.deepEqual([reply.status, reply.body.error.code], [status, code], JSON.stringify(body))
  }

  function raw(path: string, key: string, headers: Record<string, string>, url = gateway.url): Promise<Response> {
    return fetch(url + path, { headers: { authorization: `Bearer ${key}`, ...headers } })
  }

  async function get(path: string, key = API_KEY, url = gateway.url): Promise<Reply> {
    return toReply(await raw(path, key, {}, url))
  }

  async function chat(body: object, key: string, url = gateway.url): Promise<Reply> {
    return toReply(await post(body, key, url))
  }

  function post(body: object, key: string, url: string, signal?: AbortSignal): Promise<Response> {
    return fetch(`${url}/v3/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'x' }], ...body }),
      signal: signal ?? null,
    })
  }

  async function issue(options: object): Promise<string> {
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'test', ...options })
    const response = await fetch(`${gateway.adminUrl}/admin/keys`, { method: 'POST', headers, body })
    assert.equal(response.status, 201)
    return ((await response.json()) as { key: string }).key
  }
})

async function toReply(response: Response): Promise<Reply> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply['body'] }
}

function idsOf({ data }: Reply['body']): string[] {
  return data.map(({ id }) => id)
}
