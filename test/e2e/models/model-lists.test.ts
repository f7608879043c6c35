import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { ModelList, type ModelObject } from '../../../src/contract/models.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import { withEnoughTime } from '../../fakes/enough-time.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { LONG_MS } from '../../gateway/limited-send.ts'

const LISTS = [
  ...['/v3/models', '/v3/images/models', '/v3/embeddings/models', '/v3/moderations/models'],
  ...['/v3/audio/speech/models', '/v3/audio/transcriptions/models', '/v3/rerank/models'],
]
const MODELS_OF_OLLAMA =
  '{"data":[{"id":"llama3.2:3b","created":1700000000},{"id":"hf.co/x/y:Q4"},{"id":"nomic-embed-text:latest"}]}'
const ANSWER = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
})
const KINDS_OF_LM_STUDIO = '{"data":[{"id":"tiny","type":"llm"},{"id":"small-embed","type":"embeddings"}]}'
/** A list that never ends, and answers that are none. */
const BROKEN: Record<string, string> = {
  vllm: `{"data":[${'{"id":"m"},'.repeat(200_000)}{"id":"m"}]}`,
  sglang: 'not JSON',
  lmstudio: '{"data":[{"id":""},{"id":7},{"id":"a b"},null,{"id":"tiny","max_model_len":4096},{"id":"small-embed"}]}',
}

describe('lists of models', () => {
  let gateway: GatewayUnderTest
  let servers: Server
  let asked: string[] = []
  let clock = Date.now()
  let silent: string | undefined
  before(async () => {
    servers = createServer((request, response) => {
      const [, name = ''] = request.url!.split('/')
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      if (name === silent) return undefined
      if (name === 'llamacpp') return response.writeHead(500).end('{"data":[{"id":"no"}]}')
      response.setHeader('content-type', 'application/json')
      if (request.url!.endsWith('/chat/completions')) return response.end(ANSWER)
      if (request.url === '/ollama/api/show') return showModel(request, response)
      if (request.url === '/lmstudio/api/v0/models') return response.end(KINDS_OF_LM_STUDIO)
      response.end(BROKEN[name] ?? MODELS_OF_OLLAMA)
    })
    await new Promise<void>((resolve) => servers.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(servers.address() as AddressInfo).port}`
    const local = ['ollama', 'vllm', 'sglang', 'lmstudio', 'llamacpp'].map((name) => [
      `${name.toUpperCase()}_BASE_URL`,
      `${url}/${name}/v1`,
    ])
    const env = { ...Object.fromEntries(local), OLLAMA_API_KEY: 'local-key', OPENAI_API_KEY: 'sk-x' }
    gateway = await startGateway({ env, overrides: { now: () => clock, monotonic: () => clock } })
  })
  after(async () => {
    await gateway.close()
    servers.closeAllConnections()
    servers.close()
  })

  test('the models of local servers have names without a provider, also before a client has listed them', async () => {
    const chat = chatClient(gateway.url)
    const cases = [
      ['llama3.2:3b', 'ollama/llama3.2:3b'],
      ['nomic-embed-text', 'ollama/nomic-embed-text:latest'],
      ['hf.co/x/y:Q4', 'ollama/hf.co/x/y:Q4'],
      ['tiny', 'lmstudio/tiny'],
    ] as const
    for (const [name, model] of cases) {
      const { status, completion } = await chat.whole({ model: name, ...HELLO })
      assert.deepEqual([status, completion.model], [200, model])
    }
    const listed = () => asked.filter((line) => line.startsWith('GET /ollama/v1/models')).length
    assert.equal(listed(), 1, 'all of them share one answer')
    for (const name of ['unknown-model', 'nor-this'])
      assert.equal((await chat.whole({ model: name, ...HELLO })).status, 404)
    assert.equal(listed(), 1)
    clock += 20_000
    assert.equal((await chat.whole({ model: 'tiny', ...HELLO })).status, 200)
    assert.equal(listed(), 1, 'a name that is known needs no question')
  })

  for (const path of LISTS) {
    test(`${path} lists what can be called now, and with ?all=true the rest, too`, async () => {
      const [now, only, all, others] = await Promise.all(
        ['', '?available=true', '?all=true', '?available=false'].map((query) => list(path + query)),
      )
      assert.deepEqual(only, now)
      assert.deepEqual(others, all)
      assert.ok(now!.every((model) => model.available === true))
      assert.deepEqual(
        now,
        all!.filter(({ available }) => available),
      )
      assert.ok(all!.length >= now!.length)
      assert.ok(all!.every((model) => typeof model.available === 'boolean' && model.created > 1_600_000_000))
      assert.ok(now!.every(({ owned_by }) => ['openai', 'sandbox', 'local', 'ollama', 'lmstudio'].includes(owned_by)))
    })
  }

  test('every model of the whole list can be fetched alone', async () => {
    const all = await list('/v3/models?all=true')
    const some = all.filter((_, index) => index % 97 === 0).concat(all.filter(({ owned_by }) => owned_by === 'ollama'))
    for (const model of some) assert.deepEqual((await get(`/v3/models/${model.id}`)).body, model)
  })

  test('local servers that answer report their models; others are left out', async () => {
    const local = (await list('/v3/models')).filter(({ owned_by }) =>
      /ollama|lmstudio|vllm|sglang|llamacpp/.test(owned_by),
    )
    assert.deepEqual(
      local.map(({ id, created, context_length }) => [id, created, context_length]),
      [
        ['ollama/llama3.2:3b', 1_700_000_000, null],
        ['ollama/hf.co/x/y:Q4', Math.floor(clock / 1000), null],
        ['ollama/nomic-embed-text:latest', Math.floor(clock / 1000), null],
        ['lmstudio/tiny', Math.floor(clock / 1000), 4096],
        ['lmstudio/small-embed', Math.floor(clock / 1000), null],
      ],
    )
    assert.ok(asked.includes('GET /ollama/v1/models Bearer local-key'))
    assert.ok(asked.includes('GET /vllm/v1/models undefined'))
  })

  test('embedding models of local servers are listed as such, if the server says so', async () => {
    const names = (models: ModelObject[]) =>
      models.flatMap(({ id, owned_by }) => (/ollama|lmstudio/.test(owned_by) ? [id] : []))
    const embeddings = ['ollama/nomic-embed-text:latest', 'lmstudio/small-embed']
    assert.deepEqual(names(await list('/v3/embeddings/models')), embeddings)
    assert.deepEqual(names(await list('/v3/embeddings/models?all=true')), embeddings)
    for (const path of ['/v3/images/models', '/v3/moderations/models']) assert.deepEqual(names(await list(path)), [])
    assert.ok(asked.includes('POST /ollama/api/show Bearer local-key'))
  })

  test('a server that accepts connections and never answers is left out, and the others are listed', async () => {
    silent = 'vllm'
    await withEnoughTime(200, async (localModelsMs) => {
      Object.assign(gateway.gateway.services.calls, { localModelsMs })
      clock += 20_000
      const owners = (await list('/v3/models')).map(({ owned_by }) => owned_by)
      assert.deepEqual([owners.includes('vllm'), owners.includes('ollama')], [false, true])
    })
    silent = undefined
    Object.assign(gateway.gateway.services.calls, { localModelsMs: LONG_MS })
  })

  test('the gateway does not ask itself, whichever of its addresses a provider has', async () => {
    const { providers } = gateway.gateway.services.calls.config
    const { port } = new URL(gateway.url)
    const llamacpp = providers.llamacpp!
    for (const host of ['127.0.0.1', 'localhost', `127.0.0.1:${new URL(gateway.adminUrl).port}`]) {
      Object.assign(providers, {
        llamacpp: { ...llamacpp, baseUrl: `http://${host.includes(':') ? host : `${host}:${port}`}/v1` },
      })
      clock += 20_000
      await list('/v3/models')
    }
    Object.assign(providers, { llamacpp })
    assert.doesNotMatch(gateway.logs(), /"endpoint":"unknown"/)
  })

  test('the servers are asked at most every ten seconds, for all callers together', async () => {
    clock += 20_000
    asked = []
    await Promise.all(Array.from({ length: 5 }, () => list('/v3/models')))
    assert.equal(lists(), 5)
    await list('/v3/models?all=true')
    await get('/v3/models/ollama/llama3.2:3b')
    assert.equal(lists(), 5)
    clock += 10_001
    await list('/v3/models')
    assert.equal(lists(), 10)
  })

  test('scopes and regions hold for all lists, also for local models', async () => {
    const admin = adminClient(gateway.adminUrl)
    const { key } = await admin.issue({ scopes: ['models', 'model:ollama/*', 'model:groq/*'] })
    assert.deepEqual(new Set((await list('/v3/models', key)).map(({ owned_by }) => owned_by)), new Set(['ollama']))
    const all = await list('/v3/models?all=true', key)
    assert.deepEqual(new Set(all.map(({ owned_by }) => owned_by)), new Set(['ollama', 'groq']))
    const { key: eu } = await admin.issue({ region: 'eu' })
    const european = await list('/v3/models?all=true', eu)
    assert.ok(european.every(({ regions }) => regions!.some(({ code }) => code === 'eu')))
    assert.ok(european.length > (await list('/v3/models', eu)).length)
    const { key: sandbox } = await admin.issue({ kind: 'sandbox' })
    assert.equal((await list('/v3/models', sandbox)).length, (await list('/v3/models?all=true', sandbox)).length)
  })

  test('a flag is true or false', async () => {
    for (const path of LISTS)
      for (const query of ['all=1', 'all=', 'available=yes', 'all=true&all=false'])
        assert.equal((await get(`${path}?${query}`)).status, 422, `${path}?${query}`)
  })

  function lists(): number {
    return asked.filter((line) => line.includes('/v1/models')).length
  }

  async function list(path: string, key = API_KEY): Promise<(ModelObject & { available?: boolean })[]> {
    const { status, body } = await get(path, key)
    assert.equal(status, 200)
    assert.deepEqual(validator(ModelList).issues(body, []), [])
    return body.data
  }

  async function get(path: string, key = API_KEY) {
    const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })
    return { status: response.status, body: (await response.json()) as { data: ModelObject[] } }
  }
})

/** As Ollama answers: what a model can do. */
async function showModel(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model } = JSON.parse((await request.toArray()).join('')) as { model: string }
  response.end(JSON.stringify({ capabilities: [model.includes('embed') ? 'embedding' : 'completion'] }))
}
