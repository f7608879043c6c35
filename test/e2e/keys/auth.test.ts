import assert from 'node:assert/strict'
import { CLI } from '../../../src/tenants/audit/author.ts'
import { after, before, describe, test } from 'node:test'
import { issueKey } from '../../../src/tenants/access/keys.ts'
import { API_ROUTES } from '../../../src/http/routes/api-routes.ts'
import { ADMIN_ROUTES } from '../../../src/http/routes/admin-routes.ts'
import type { Route } from '../../../src/http/route.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { sample, someOf } from '../../soak/sample.ts'
import { exchange, type RawReply, request } from '../../gateway/raw-http.ts'
import { failures } from './refused-keys.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

const ASK = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] })
const JSON_TYPE = 'Content-Type: application/json'

const OPEN_TO_ALL_KEYS = ['/v3/key', '/v3/webhooks/public-key', '/v3/webhooks/public-key/ed25519']

const DOCS = ['/docs', '/docs/text', '/docs/assets/{asset}']

describe('who may come in', () => {
  let gateway: GatewayUnderTest
  let lateBy = 0
  /** Of calls without a key, in two formats. */
  let refusals: Promise<[RawReply, RawReply]> | undefined
  before(async () => {
    gateway = await startGateway({ overrides: { now: () => Date.now() + lateBy } })
  })
  after(() => gateway.close())

  test('every path under /v3 asks for a key and every path under /admin for an admin key', () => {
    const kept = API_ROUTES.filter(({ path, isOn }) => path.startsWith('/v3') && !isOn)
    assert.ok(kept.length > 0 && kept.every(({ access }) => access === 'key'))
    const open = ADMIN_ROUTES.filter(({ path, access }) => path.startsWith('/admin') && access !== 'admin')
    // A person who signs in, or uses a link, is not authenticated yet.
    assert.deepEqual(
      open.map(({ path }) => path),
      ['/admin/setup', '/admin/sessions', '/admin/invitations/accept'],
    )
    assert.deepEqual(
      API_ROUTES.filter(({ access, isOn }) => access === 'open' && !isOn).map(({ path }) => path),
      // The address of an upload and the link to a result have signatures of their own.
      ['/uploads/{upload}', '/results/{id}', '/health/live', '/health/ready', '/', '/openapi.json', ...DOCS],
    )
  })

  test('no route is registered beside the tables that these tests walk', () => {
    const { api, admin } = gateway.gateway
    assert.deepEqual(new Set(registeredIn(api.printRoutes({ commonPrefix: false }))), pathsOf(API_ROUTES))
    assert.deepEqual(new Set(registeredIn(admin.printRoutes({ commonPrefix: false }))), pathsOf(ADMIN_ROUTES))
  })

  test('without a key, every such route answers 401 and says how to send one', async () => {
    for (const { route, url } of guardedRoutes()) {
      const reply = await exchange(url, call(route))
      assert.equal(reply.status, 401, route.path)
      assert.equal(reply.headers['www-authenticate'], 'Bearer', route.path)
      assert.equal(withoutId(reply), await bodyOfRefusal(route.path), route.path)
    }
  })

  test('client keys do not open the admin API, admin keys do not open /v3', async () => {
    const issued = await issue({ name: 'client' })
    for (const [index, { route, url }] of guardedRoutes().entries()) {
      const wrong = route.access === 'key' ? [ADMIN_KEY] : [API_KEY, issued]
      for (const key of someOf(wrong, index, 1)) {
        const reply = await exchange(url, call(route, `Authorization: Bearer ${key}`))
        assert.equal(reply.status, 401, `${route.method} ${route.path}`)
        assert.equal(withoutId(reply), await bodyOfRefusal(route.path), route.path)
      }
    }
  })

  test('every route of the API wants a scope, and a key without it is refused', async () => {
    const keys = new Map<string, string>()
    for (const scope of ['chat', 'files']) keys.set(scope, await issue({ name: scope, scopes: [scope] }))
    for (const { route, url } of guardedRoutes().filter(({ route }) => route.access === 'key')) {
      if (OPEN_TO_ALL_KEYS.includes(route.path)) continue
      const other = route.scope === 'chat' ? 'files' : 'chat'
      const reply = await exchange(url, call(route, `Authorization: Bearer ${keys.get(other)}`))
      assert.deepEqual([reply.status, Boolean(route.scope)], [403, true], `${route.method} ${route.path}`)
    }
  })

  test('a key that may not be used from this address is refused on every route', async () => {
    const elsewhere = { name: 'elsewhere', owner: 'default', allowed_ips: ['192.0.2.0/24', '::1/128'] }
    const client = await issue(elsewhere)
    const admin = (
      await issueKey({ ...elsewhere, kind: 'admin' }, { ...gateway.gateway.services.tenants, author: CLI })
    ).key
    for (const { route, url } of guardedRoutes()) {
      const key = route.access === 'key' ? client : admin
      const reply = await exchange(url, call(route, `Authorization: Bearer ${key}`))
      const { code, message, details, data } = JSON.parse(reply.body).error
      const expected = [403, 'not_allowed', 'This key may not be used from this address.']
      // Google's format has the code among the details, and MCP has numbers of its own.
      const reason = details ? details[0].reason.toLowerCase() : (data?.code ?? code)
      assert.deepEqual([reply.status, reason, message], expected, `${route.method} ${route.path}`)
    }
    // A client with the wrong kind of key learns no more than one without a key.
    const wrong = await exchange(gateway.adminUrl, call(ADMIN_ROUTES[0]!, `Authorization: Bearer ${client}`))
    assert.equal(wrong.status, 401)
  })

  test('nothing of one listener is reachable or documented on the other', async () => {
    const shared = new Set(['/', '/results/{id}', '/health/live', '/health/ready', '/openapi.json', ...DOCS])
    const strangers = [
      ...ADMIN_ROUTES.map((route) => ({ route, url: gateway.url })),
      ...API_ROUTES.map((route) => ({ route, url: gateway.adminUrl })),
    ].filter(({ route }) => !shared.has(route.path))
    for (const [index, { route, url }] of strangers.entries()) {
      for (const key of someOf([API_KEY, ADMIN_KEY], index, 1)) {
        const reply = await exchange(url, call(route, `Authorization: Bearer ${key}`))
        assert.equal(reply.status, 404, `${route.method} ${route.path}`)
      }
    }
    const [api, admin] = await Promise.all(
      [gateway.url, gateway.adminUrl].map(async (url) => (await fetch(`${url}/openapi.json`)).text()),
    )
    assert.doesNotMatch(api!, /"\/(?:admin|metrics)/)
    assert.doesNotMatch(admin!, /"\/v3\//)
  })

  test('every way to fail gives the same bytes', async () => {
    const expired = await issue({ name: 'short', expires_at: new Date(Date.now() + HOUR_MS).toISOString() })
    const revoked = await issueAndRevoke()
    assert.equal((await models(`Authorization: Bearer ${expired}`)).status, 200)
    lateBy = 2 * HOUR_MS
    for (const [name, ...headers] of failures({ expired, revoked })) {
      const reply = await models(...headers)
      assert.equal(reply.status, 401, name)
      assert.equal(reply.body, await bodyOfRefusal(), name)
      assert.deepEqual(withoutIds(reply), withoutIds(await models()), name)
    }
    lateBy = 0
    assert.doesNotMatch(await bodyOfRefusal(), /gatehouse|sqlite|postgres|digest|table|revoked|expired/i)
  })

  test('a key may come as Bearer in any letters or as x-api-key, with spaces around it', async () => {
    const key = await issue({ name: 'forms' })
    const bearers = [
      'Authorization: Bearer ',
      'Authorization: bearer ',
      'AUTHORIZATION: BEARER ',
      'Authorization:   Bearer   ',
    ]
    for (const before of [...bearers, 'x-api-key: ', 'X-Api-Key: ']) {
      for (const good of [key, API_KEY, `${API_KEY}   `])
        assert.equal((await models(before + good)).status, 200, before)
    }
  })

  test('two Authorization headers are refused, whichever comes first', async () => {
    const [good, bad] = [`Authorization: Bearer ${API_KEY}`, 'Authorization: Bearer nonsense']
    for (const headers of [
      [good, bad],
      [bad, good],
      [good, good],
    ]) {
      const reply = await models(...headers)
      assert.equal(reply.status, 401)
      assert.equal(reply.body, await bodyOfRefusal())
    }
  })

  test('every answer to a request with a key is private and has a request id', async () => {
    for (const [index, { route, url }] of guardedRoutes().entries()) {
      const key = route.access === 'key' ? API_KEY : ADMIN_KEY
      // A stream without an end has the same head as the answer to HEAD.
      const own = route.path === '/admin/requests/live' ? 'HEAD' : route.method
      for (const method of index % sample(5, 1) === 0 ? [own, 'PUT'] : [own])
        assertPrivate(
          await exchange(url, call({ ...route, method: method as Route['method'] }, `Authorization: Bearer ${key}`)),
        )
    }
    const streamed = JSON.stringify({ ...JSON.parse(ASK), stream: true })
    const headers = [`Authorization: Bearer ${API_KEY}`, JSON_TYPE]
    assertPrivate(await exchange(gateway.url, request('POST /v3/chat/completions', headers, streamed)))
    assertPrivate(await models())
  })

  function guardedRoutes() {
    const on = (url: string) => (route: Route) => ({ route, url })
    return [...API_ROUTES.map(on(gateway.url)), ...ADMIN_ROUTES.map(on(gateway.adminUrl))].filter(
      // What is off is unknown: agents.test.ts.
      ({ route }) => route.access !== 'open' && !route.isOn,
    )
  }

  async function models(...headers: string[]): Promise<RawReply> {
    return exchange(gateway.url, request('GET /v3/models', headers))
  }

  /** The body is the same for every reason; clients of other formats get it in their own shape. */
  async function bodyOfRefusal(path = ''): Promise<string> {
    refusals ??= Promise.all([models(), exchange(gateway.url, request('GET /v3/v1beta/models', []))])
    const [{ body }, ofGoogle] = await refusals
    if (path.startsWith('/v3/mcp')) return asRpcError(body)
    if (path.startsWith('/v3/v2/')) return withMessage(body)
    if (/^\/v3\/(?:upload\/)?v1beta\//.test(path)) return ofGoogle.body
    return path.startsWith('/v3/v1/messages') ? JSON.stringify({ ...JSON.parse(body), type: 'error' }) : body
  }

  async function issue(options: object): Promise<string> {
    return (await create(options)).key
  }

  async function issueAndRevoke(): Promise<string> {
    const { id, key } = await create({ name: 'gone' })
    assert.equal((await admin(`/admin/keys/${id}`, { method: 'DELETE' })).status, 204)
    return key
  }

  async function create(options: object): Promise<{ id: string; key: string }> {
    const response = await admin('/admin/keys', { method: 'POST', body: JSON.stringify(options) })
    assert.equal(response.status, 201)
    return (await response.json()) as { id: string; key: string }
  }

  function admin(path: string, options: RequestInit): Promise<Response> {
    const type = options.body ? { 'content-type': 'application/json' } : undefined
    return fetch(gateway.adminUrl + path, { ...options, headers: { authorization: `Bearer ${ADMIN_KEY}`, ...type } })
  }
})

/** The refusal as an error of JSON-RPC: a request that was not read has no id. */
function asRpcError(body: string): string {
  const { message, ...data } = JSON.parse(body).error
  return JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message, data } })
}

/** Cohere's clients read the message at the top. */
function withMessage(body: string): string {
  const parsed = JSON.parse(body)
  return JSON.stringify({ ...parsed, message: parsed.error.message })
}

/** The framework prints a tree. A path consists of everything on the way to a leaf. */
function registeredIn(tree: string): string[] {
  const way: string[] = []
  return tree
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, indent, piece] = /^([│ ]*)[├└]── (\S+)/.exec(line)!
      way.splice(indent!.length / 4, way.length, piece!)
      return way.join('')
    })
}

function pathsOf(routes: readonly Route[]): Set<string> {
  const written = ({ path, greedy, routedAs }: Route) => routedAs ?? (greedy ? path.replace(/\/\{\w+\}$/, '*') : path)
  return new Set(routes.map((route) => written(route).replace(/\{(\w+)\}/g, ':$1')))
}

function call({ method, path, body }: Omit<Route, 'method'> & { method: string }, ...headers: string[]): Buffer {
  const line = `${method} ${path.replace(/\{\w+\}/g, 'x')}`
  return body ? request(line, [...headers, JSON_TYPE], ASK) : request(line, headers)
}

function assertPrivate({ headers, status }: RawReply): void {
  assert.equal(headers['cache-control'], 'no-store')
  assert.match(headers.vary ?? '', /\bauthorization\b/i)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match(headers['x-request-id'] ?? '', /^req_[\w-]{8,}$/, `status ${status}`)
}

/** Clients of the messages format also read the id of a request in its body; everything else is the same. */
function withoutId({ body, headers }: RawReply): string {
  return body.replace(`,"request_id":"${headers['x-request-id']}"`, '')
}

function withoutIds({ headers }: RawReply): Record<string, string> {
  const { date: _, 'x-request-id': __, ...rest } = headers
  return rest
}
