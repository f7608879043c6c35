import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { API_ROUTES } from '../../../src/http/routes/api-routes.ts'
import { ADMIN_ROUTES } from '../../../src/http/routes/admin-routes.ts'
import { EXAMPLES } from '../../../src/http/openapi/examples.ts'
import { idsIn } from '../../../src/http/paths/path-ids.ts'
import type { Route } from '../../../src/http/route.ts'
import { ADMIN_KEY, API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, type RawReply, request } from '../../gateway/raw-http.ts'
import { someOf } from '../../soak/sample.ts'

// Every path of both listeners with every method that Node's parser knows, and with ids and content types that are wrong.

type Listener = { name: string; url: string; key: string; routes: readonly Route[] }

const UUID = randomUUID()
/** What any of the routes with ids accepts. */
const VALID = { file: UUID, metadata: {}, part_ids: [], items: [{ role: 'user', content: 'Hi' }] }
const CALL = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hi' }] }

describe('paths, methods and ids', () => {
  let gateway: GatewayUnderTest
  let listeners: Listener[]
  before(async () => {
    gateway = await startGateway()
    listeners = [
      { name: 'API', url: gateway.url, key: API_KEY, routes: API_ROUTES },
      { name: 'admin', url: gateway.adminUrl, key: ADMIN_KEY, routes: ADMIN_ROUTES },
    ]
  })
  after(() => gateway.close())

  test('every other method of a known path is 405 with Allow, with a key', async () => {
    for (const listener of listeners) {
      for (const [path, routes] of Map.groupBy(listener.routes, concretePath)) {
        const own: string[] = routes.map(({ method }) => method)
        const allowed = own.includes('GET') ? [...own, 'HEAD'] : own
        for (const method of nextMethods(ROUTED.filter((name) => !allowed.includes(name)))) {
          const reply = await send(listener, `${method} ${path}`)
          const what = `${listener.name}: ${method} ${path}`
          // What is off is unknown.
          if (routes[0]!.isOn) {
            assert.equal(reply.status, 404, what)
            continue
          }
          assert.deepEqual([reply.status, reply.headers.allow], [405, allowed.join(', ')], what)
          assert.equal(codeIn(reply.body), 'method_not_allowed', what)
        }
      }
    }
  })

  test('without a key, other methods tell no more than the right one', async () => {
    for (const listener of listeners) {
      const guarded = listener.routes.find(({ access }) => access !== 'open')!
      for (const method of METHODS.filter((name) => name !== 'CONNECT' && name !== 'HEAD')) {
        const reply = await exchange(listener.url, request(`${method} ${concretePath(guarded)}`, ['Host: localhost']))
        assert.equal(reply.status, 401, `${listener.name}: ${method}`)
      }
    }
  })

  test('an unknown path is 404 with every method and every content type, with a key and without', async () => {
    const types = [
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/json',
      'application/xml',
      'nonsense',
      '',
    ]
    for (const listener of listeners) {
      for (const method of METHODS.filter((name) => name !== 'HEAD'))
        assert.equal((await send(listener, `${method} /nonexistent`)).status, 404, method)
      for (const type of types)
        for (const path of ['/nonexistent', '/v3/chat/completion']) {
          const headers = ['Host: localhost', `Content-Type: ${type}`]
          const reply = await exchange(listener.url, request(`POST ${path}`, headers, '--x--'))
          assert.deepEqual([reply.status, JSON.parse(reply.body).error.code], [404, 'not_found'], type)
        }
    }
  })

  test('a wrong content type is 415 and names the right one', async () => {
    const wrong = {
      '/v3/chat/completions': [
        /^.*Send application\/json\.$/,
        'multipart/form-data; boundary=x',
        'text/plain',
        'nonsense',
      ],
      '/v3/images/edits': [/Send application\/json or multipart\/form-data\.$/, 'text/plain', 'application/x-ndjson'],
      '/v3/audio/transcriptions': [/Send application\/json or multipart\/form-data\.$/, 'audio/mpeg'],
      '/v3/upload': [/Send multipart\/form-data\.$/, 'application/json', 'application/octet-stream'],
    } as const
    for (const [path, [sentence, ...types]] of Object.entries(wrong))
      for (const type of types) {
        const reply = await send(listeners[0]!, `POST ${path}`, [`Content-Type: ${type}`], 'not JSON')
        assert.equal(reply.status, 415, `${path} ${type}: ${reply.body}`)
        assert.match(JSON.parse(reply.body).error.message, sentence)
      }
  })

  test('a route that needs no body does not look at one', async () => {
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const variations = await send(listeners[0]!, 'POST /v3/images/variations', [`Content-Type: ${type}`], 'not JSON')
      assert.equal(variations.status, 501, type)
      const again = `POST /admin/deliveries/${UUID}/redeliver`
      assert.equal((await send(listeners[1]!, again, [`Content-Type: ${type}`], 'not JSON')).status, 404, type)
    }
  })

  test('an id that the gateway cannot have made is 422, in formats of providers 404 as an unknown one, wherever a path has one', async () => {
    // A form is refused by its type before its path is looked at. What is refused in any case (remixes of videos) knows no ids, and
    // what the configuration turns on is not there.
    for (const listener of listeners)
      for (const route of listener.routes.filter(({ path, form, isOn, replies }) => {
        return /\{\w*id\}/.test(path) && !form && !isOn && Object.keys(replies).some((status) => Number(status) < 400)
      })) {
        const body = bodyOf(route, listener)
        const known = await send(listener, `${route.method} ${concretePath(route)}`, [JSON_TYPE], body)
        assert.equal(known.status, 404, `${route.method} ${route.path}: ${known.body}`)
        if (idsIn(route).length === 0) continue
        for (const bad of someOf(BAD_IDS, idTurn++, 2)) {
          const path = route.path.replace(/\{\w*id\}/, bad).replaceAll(/\{\w+\}/g, UUID)
          const reply = await send(listener, `${route.method} ${path}`, [JSON_TYPE], body)
          const { error, detail } = JSON.parse(reply.body)
          const expected = route.noSuch ? [404, 'not_found'] : [422, 'validation_error']
          assert.deepEqual([reply.status, error.code], expected, `${route.method} ${path}`)
          if (!route.noSuch) assert.equal(detail[0].loc[0], 'path')
        }
      }
  })

  test('ids in bodies and queries: malformed is 422, unknown is 404', async () => {
    const image = (file_id: string) => ({ model: 'sandbox/image', prompt: 'x', images: [{ file_id }] })
    const speech = (file_id: string) => ({ model: 'sandbox/transcribe', file_id })
    for (const [path, body] of [
      ['/v3/images/edits', image],
      ['/v3/audio/transcriptions', speech],
    ] as const) {
      assert.equal((await post(path, body('nonsense'))).status, 422)
      assert.equal((await post(path, body(UUID))).status, 404)
    }
    assert.equal((await post('/v3/upload/delete', { file_ids: ['nonsense'] })).status, 422)
    assert.equal((await send(listeners[1]!, 'GET /admin/deliveries?job_id=nonsense')).status, 422)
    assert.equal((await send(listeners[1]!, `GET /admin/deliveries?job_id=${UUID}`)).status, 200)
  })

  test('x-gatehouse-metadata is `enabled` or absent', async () => {
    const image = { model: 'sandbox/image', prompt: 'x', size: '8x8' }
    const speech = { model: 'sandbox/echo', max_tokens: 9, messages: CALL.messages }
    const calls = {
      'chat/completions': CALL,
      'images/generations': image,
      responses: { ...CALL, input: 'Hi' },
      'v1/messages': speech,
    }
    for (const [path, body] of Object.entries(calls)) {
      for (const value of ['enabled', 'Enabled'])
        assert.equal((await post(`/v3/${path}`, body, [`x-gatehouse-metadata: ${value}`])).status, 200, path)
      for (const value of ['foo', 'true', '']) {
        const reply = await post(`/v3/${path}`, body, [`x-gatehouse-metadata: ${value}`])
        assert.deepEqual([reply.status, /x-gatehouse-metadata/.test(reply.body)], [422, true])
      }
    }
  })

  test('limits of the specification: top_logprobs, and lists that may not be empty', async () => {
    for (const top_logprobs of [0, 21])
      assert.equal((await post('/v3/chat/completions', { ...CALL, logprobs: true, top_logprobs })).status, 422)
    for (const top_logprobs of [1, 20])
      assert.equal((await post('/v3/chat/completions', { ...CALL, logprobs: true, top_logprobs })).status, 200)
    const responses = { model: 'sandbox/echo', input: 'Hi' }
    for (const top_logprobs of [0, 20])
      assert.equal((await post('/v3/responses', { ...responses, top_logprobs })).status, 200)
    for (const top_logprobs of [-1, 21])
      assert.equal((await post('/v3/responses', { ...responses, top_logprobs })).status, 422)
    for (const input of [[], [[]], [[1], []]]) {
      const reply = await post('/v3/embeddings', { model: 'openai/text-embedding-3-small', input })
      assert.deepEqual(
        [reply.status, JSON.parse(reply.body).error.code],
        [422, 'validation_error'],
        JSON.stringify(input),
      )
    }
    const moderation = await post('/v3/moderations', { input: [] })
    assert.deepEqual([moderation.status, JSON.parse(moderation.body).detail[0].type], [422, 'too_short'])
  })

  function bodyOf({ body }: Route, listener: Listener): string {
    const { title = '' } = (body ?? {}) as { title?: string }
    return body ? JSON.stringify(listener === listeners[0] ? VALID : EXAMPLES[title]) : ''
  }

  function send({ url, key }: Listener, line: string, headers: readonly string[] = [], body = ''): Promise<RawReply> {
    return exchange(url, request(line, ['Host: localhost', `Authorization: Bearer ${key}`, ...headers], body))
  }

  function post(path: string, body: object, headers: readonly string[] = []): Promise<RawReply> {
    return send(listeners[0]!, `POST ${path}`, [JSON_TYPE, ...headers], JSON.stringify(body))
  }
})

const BAD_IDS = ['0', 'nonsense', `${UUID}0`, '%00', 'resp_12', '..%2f..']
let idTurn = 0

const JSON_TYPE = 'Content-Type: application/json'

/** The methods that the router has routes for. */
const ROUTED = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']
const RARE = METHODS.filter((method) => method !== 'HEAD' && !ROUTED.includes(method))
let turn = 0

/** Some of these methods and of the rare ones, so that all of them have their turn over the paths of a listener. */
function nextMethods(routed: readonly string[]): string[] {
  turn += 1
  return [...someOf(routed, turn, 1), ...someOf(RARE, turn, 1)]
}

/** The code of an error, in our own shape or in Google's. */
function codeIn(body: string): string {
  const { code, details } = JSON.parse(body).error
  return details?.[0]?.reason.toLowerCase() ?? code
}

/** Fills the parameters with ids that are well-formed and unknown. */
function concretePath({ path }: Route): string {
  const hex = UUID.replaceAll('-', '')
  const named = path
    .replace('{response_id}', `resp_${hex}`)
    .replace('{conversation_id}', `conv_${hex}`)
    .replace('{upload_id}', `upload_${hex}`)
  return named.replaceAll(/\{\w+\}/g, UUID)
}
