import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { collect } from '../../gateway/collect.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, request } from '../../gateway/raw-http.ts'

// Real clients with base URLs that are not ours, and what the gateway says at addresses without an endpoint.

const KEY = `Authorization: Bearer ${API_KEY}`
const messages = [{ role: 'user' as const, content: 'Hello' }]
const CHAT = JSON.stringify({ model: 'sandbox/echo', messages })
const ORIGIN = 'https://app.example'

describe('other paths', () => {
  let gateway: GatewayUnderTest
  before(async () => {
    gateway = await startGateway({ env: { CORS_ORIGINS: `${ORIGIN}, https://Other.example:8443` } })
  })
  after(() => gateway.close())

  for (const base of ['/v1', '/v3/v1', '/openai/v1', '/v3/llm', '/v3/', '/v1beta/openai'])
    test(`the OpenAI SDK at ${base}`, async () => {
      const client = new OpenAI({ apiKey: API_KEY, baseURL: gateway.url + base, maxRetries: 0 })
      const { choices } = await client.chat.completions.create({ model: 'sandbox/echo', messages })
      assert.equal(choices[0]!.message.content, 'Hello')
      assert.equal((await client.responses.create({ model: 'sandbox/echo', input: 'Hi' })).output_text, 'Hi')
      assert.ok((await collect(await client.models.list())).some(({ id }) => id === 'sandbox/echo'))
      assert.equal((await client.models.retrieve('sandbox/echo')).owned_by, 'sandbox')
    })

  for (const base of ['', '/anthropic', '/v3', '/v1', '/v3/v1'])
    test(`the SDK of Anthropic at ${base || 'the host itself'}`, async () => {
      const client = new Anthropic({ apiKey: API_KEY, baseURL: gateway.url + base, maxRetries: 0 })
      const { content } = await client.messages.create({ model: 'sandbox/echo', max_tokens: 9, messages })
      assert.equal(content[0]?.type === 'text' && content[0].text, 'Hello')
      const ids: string[] = []
      for await (const model of client.models.list({ limit: 5 })) {
        assert.deepEqual([model.type, typeof model.display_name], ['model', 'string'])
        assert.match(model.created_at, /^\d{4}-\d\d-\d\dT/)
        ids.push(model.id)
      }
      assert.ok(ids.length > 5 && ids.includes('sandbox/echo') && !ids.includes('sandbox/image'), ids.join())
      assert.equal(new Set(ids).size, ids.length)
      assert.equal((await client.models.retrieve('sandbox/echo')).display_name, 'Sandbox (simulated): echo')
      await assert.rejects(client.models.retrieve('sandbox/nothing'), Anthropic.NotFoundError)
    })

  test('the host itself is a page for a browser and JSON for a program', async () => {
    const page = await fetch(gateway.url, { headers: { accept: 'text/html,*/*' } })
    assert.match(String(page.headers.get('content-type')), /^text\/html/)
    assert.match(await page.text(), /href="\/docs"/)
    const about = (await (await fetch(gateway.url)).json()) as Record<string, string>
    for (const path of [about.docs, about.openapi, about.health])
      assert.equal((await fetch(gateway.url + path)).status, 200, path)
    assert.equal((await fetch(gateway.url, { method: 'HEAD' })).status, 200)
  })

  test('a wrong path names the right one, as the caller wrote it', async () => {
    const reply = await fetch(`${gateway.url}/api/v1/chat/completions?secret=1`, { method: 'POST' })
    assert.equal(reply.status, 404)
    const { error } = (await reply.json()) as { error: { message: string } }
    assert.match(error.message, /nothing at POST \/api\/v1\/chat\/completions\. Did you mean \/v3\/chat\/completions\?/)
    const google = await fetch(`${gateway.url}/v1beta/tunedModels`, { method: 'POST' })
    assert.match(await google.text(), /"code":404.*nothing at POST \/v1beta\/tunedModels/)
  })

  test('a path of something that is not offered, or that names nothing, says what to do instead', async () => {
    const instead = {
      'POST /openai/deployments//chat/completions?api-version=2024-10-21': /Name the deployment/,
      'GET /v3/v1/files/file-1/url?expiry=24': /\/v3\/files\/\{file_id\}\/content/,
      'GET /v3/v1beta/cachedContents': /cache_control/,
    }
    for (const [asked, expected] of Object.entries(instead)) {
      const [method, path] = asked.split(' ') as [string, string]
      const reply = await fetch(gateway.url + path, { method, headers: { authorization: `Bearer ${API_KEY}` } })
      assert.equal(reply.status, 404, asked)
      assert.match(await reply.text(), expected, asked)
    }
  })

  test('a WebSocket is refused with a reason, where there is nothing else to answer', async () => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: x']
    for (const path of ['/v3/realtime?model=x', '/v3/chat/completions']) {
      const reply = await exchange(gateway.url, request(`GET ${path}`, [KEY, ...upgrade]))
      assert.equal(reply.status, 426)
      assert.equal(JSON.parse(reply.body).error.code, 'websocket_not_supported')
      assert.match(JSON.parse(reply.body).error.message, /Use HTTP/)
    }
    const others = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA']
    const chat = await exchange(
      gateway.url,
      request('POST /v3/chat/completions', [KEY, 'Content-Type: application/json', ...others], CHAT),
    )
    assert.equal(chat.status, 200, 'HTTP clients of Java ask for HTTP/2 in this way')
  })

  test("the caller's request id is kept if it is one; every call still has a line of its own", async () => {
    const id = 'Root=1-67891233-abcdef012345678912345678'
    for (let count = 0; count < 2; count++) {
      const reply = await send('/v3/chat/completions', { 'x-request-id': id })
      assert.equal(reply.headers.get('x-request-id'), id)
    }
    const lines = gateway.logs().split('\n')
    assert.equal(lines.filter((line) => line.includes(`"request_id":"${id}"`)).length, 2)
    await gateway.gateway.services.calls.ledger.flush()
    const rows = await gateway.gateway.services.calls.db.query<{ id: string }>(
      'SELECT id FROM usage WHERE id LIKE $1',
      [`${id}.%`],
    )
    assert.equal(new Set(rows.map((row) => row.id)).size, 2)
    for (const bad of ['', 'a b', 'x'.repeat(129), '"quoted"', 'a, b']) {
      const reply = await send('/v3/chat/completions', { 'x-request-id': bad })
      assert.match(String(reply.headers.get('x-request-id')), /^req_/)
    }
  })

  test('pages of the configured origins may call; others may not', async () => {
    const preflight = (origin: string, path = '/v3/chat/completions') => {
      const asked = 'authorization,content-type,x-stainless-os'
      const ask = { 'access-control-request-method': 'POST', 'access-control-request-headers': asked }
      return fetch(gateway.url + path, { method: 'OPTIONS', headers: { origin, ...ask } })
    }
    for (const [origin, path] of [
      [ORIGIN, '/v3/chat/completions'],
      ['https://other.example:8443', '/v1/models'],
    ] as const) {
      const allowed = await preflight(origin, path)
      assert.equal(allowed.status, 204)
      assert.equal(allowed.headers.get('access-control-allow-origin'), origin)
      assert.match(String(allowed.headers.get('access-control-allow-methods')), /POST/)
      assert.match(String(allowed.headers.get('access-control-allow-headers')), /x-stainless-os/)
      assert.match(String(allowed.headers.get('vary')), /Origin/)
    }
    for (const origin of ['https://evil.example', 'http://app.example', 'null', `${ORIGIN}.evil.example`]) {
      const refused = await preflight(origin)
      assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [401, null])
    }
    for (const body of [CHAT, CHAT.replace('{', '{"stream":true,'), '{']) {
      const reply = await send('/v3/chat/completions', { origin: ORIGIN }, body)
      assert.equal(reply.headers.get('access-control-allow-origin'), ORIGIN)
      assert.match(String(reply.headers.get('access-control-expose-headers')), /x-gatehouse-cost/)
      const other = await send('/v3/chat/completions', { origin: 'https://evil.example' }, body)
      assert.equal(other.headers.get('access-control-allow-origin'), null)
    }
    const admin = await fetch(`${gateway.adminUrl}/health/live`, { headers: { origin: gateway.adminUrl } })
    assert.equal(admin.headers.get('access-control-allow-origin'), null)
  })

  async function send(path: string, headers: Record<string, string>, body = CHAT): Promise<Response> {
    const common = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const reply = await fetch(gateway.url + path, { method: 'POST', headers: { ...common, ...headers }, body })
    await reply.arrayBuffer()
    return reply
  }
})
