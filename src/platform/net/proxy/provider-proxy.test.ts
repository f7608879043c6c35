import assert from 'node:assert/strict'
import type { TLSSocket } from 'node:tls'
import { type TestContext, test } from 'node:test'
import type { WireFailure } from '../../../translation/wire/wire.ts'
import { ConnectProbe } from '../connect-probe.ts'
import { makeCertificate } from '../egress/fixtures/self-made-certificate.ts'
import { type Behaviour, openFakeProxy } from '../fixtures/fake-proxy.ts'
import { closed, plain, RawProvider, textOf } from '../fixtures/raw-provider.ts'
import { openUpstream } from '../upstream.ts'
import { toProxy } from './proxy.ts'

const NAME = 'api.example.org'
const PASSWORD = 'p4ss-w0rd'
const LONG_MS = 600_000
const LOGIN = `proxy-authorization: Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}\r\n`
/** Of the provider and, where it has one, of the proxy. */
const certificate = makeCertificate([NAME, '127.0.0.1'])
const trust = { ca: certificate.cert }

test('TLS begins inside of the tunnel, for the name of the provider, and the tunnel is used again', async (context) => {
  const { provider, proxy, ask } = await open(context, 'https')
  for (const path of ['/1', '/2', '/3']) assert.equal(await ask(path), path)
  assert.deepEqual([proxy.tunnels, provider.sockets.length], [[`${NAME}:443`], 1])
  const socket = provider.sockets[0] as TLSSocket & { servername?: string }
  assert.equal(socket.servername, NAME)
  assert.ok(proxy.heads[0]!.includes(LOGIN))
  assert.ok(provider.requests.every(({ head }) => head.includes(`host: ${NAME}\r\n`) && !/proxy-|Basic/i.test(head)))
})

test('a plain request goes to the proxy with its whole address and the login, over a connection that is used again', async (context) => {
  const { provider, proxy, ask } = await open(context, 'http')
  for (const path of ['/1', '/2']) assert.equal(await ask(path), `http://${NAME}${path}`)
  assert.deepEqual([proxy.tunnels, provider.sockets.length], [[], 1])
  assert.ok(provider.requests[0]!.head.includes(LOGIN))
})

test('a proxy that is itself reached over TLS', async (context) => {
  for (const scheme of ['https', 'http'] as const) {
    const { ask, proxy } = await open(context, scheme, { isSecureProxy: true })
    assert.match(await ask('/1'), /\/1$/)
    assert.equal(proxy.heads.length, 1)
  }
})

test('the certificate in the tunnel has to be that of the provider', async (context) => {
  const { ask } = await open(context, 'https', { certificate: makeCertificate(['other.example.org']) })
  await assert.rejects(ask('/'), { kind: 'tls' })
})

test('an aborted request and a closed client leave no connection at the proxy', async (context) => {
  const { proxy, ask, upstream } = await open(context, 'https')
  await ask('/')
  await upstream.close()
  await closed(proxy.connections[0])
  const second = await open(context, 'https')
  second.proxy.behaviour = () => leaving.abort(new Error('left'))
  const leaving = new AbortController()
  await assert.rejects(second.ask('/', leaving.signal), /left/)
  await second.upstream.close()
  await closed(second.proxy.connections[0])
})

const REFUSALS: [what: string, behaviour: Behaviour, message: RegExp][] = [
  ['wants a login', 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n', /password.*\(407\)/],
  ['forbids the host', 'HTTP/1.1 403 Forbidden\r\n\r\n', /\(status 403\)/],
  ['cannot reach the host', 'HTTP/1.0 503 Service Unavailable\r\n\r\n', /\(status 503\)/],
  ['closes', (socket) => socket.end(), /closed the connection/],
  ['resets', (socket) => socket.resetAndDestroy(), /closed the connection/],
  ['sends a huge head', `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(4_000)}`, /too long/],
  ['sends a huge complete head', `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(4_000)}\r\n`, /too long/],
  ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', /not valid HTTP/],
  ['sends an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n', /not valid HTTP/],
  ['speaks for the provider', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', /bytes after/],
]

test('a proxy that does not open the way is a failure of the connection, which names the setting and no secret', async (context) => {
  const { proxy, ask } = await open(context, 'https')
  for (const [what, behaviour, message] of REFUSALS) {
    proxy.behaviour = behaviour
    const failure = await failureOf(ask('/'))
    assert.equal(failure.kind, 'proxy', what)
    assert.match(failure.message, /^the outbound proxy \(HTTPS_PROXY\) /, what)
    assert.match(failure.message, message, what)
    assert.doesNotMatch(`${failure.message} ${failure.stack} ${failure.cause}`, /p4ss|user:|127\.0\.0\.1:|Basic/, what)
  }
  proxy.behaviour = 'serves'
  assert.equal(await ask('/again'), '/again')
})

test('a proxy that stalls, or that is not there', async (context) => {
  const { proxy, ask } = await open(context, 'https')
  proxy.behaviour = () => {}
  const late = await failureOf(ask('/', undefined, 50))
  assert.deepEqual([late.kind, /HTTPS_PROXY.*in time/.test(late.message)], ['proxy', true])
  await proxy.stop()
  const refused = await failureOf(ask('/'))
  assert.deepEqual([refused.kind, /HTTPS_PROXY.*refused the connection$/.test(refused.message)], ['proxy', true])
})

test('a plain proxy that wants a login, or is not there, is told from a provider that refuses', async (context) => {
  const { proxy, ask } = await open(context, 'http')
  proxy.behaviour = 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 3\r\n\r\nno!'
  const refused = await failureOf(ask('/'))
  assert.deepEqual([refused.kind, /HTTPS_PROXY.*407/.test(refused.message)], ['proxy', true])
  await proxy.stop()
  assert.equal((await failureOf(ask('/'))).kind, 'proxy')
})

test('the connect probe goes the same way', async (context) => {
  const { proxy, settings } = await open(context, 'https')
  const look = () =>
    new ConnectProbe(
      () => 0,
      () => settings,
      trust,
    ).canConnect(`https://${NAME}/v1`)
  assert.equal(await look(), true)
  proxy.behaviour = 'HTTP/1.1 502 Bad Gateway\r\n\r\n'
  assert.equal(await look(), false)
  assert.deepEqual(proxy.tunnels, [`${NAME}:443`, `${NAME}:443`])
})

type Options = { certificate?: typeof certificate; isSecureProxy?: boolean }

/** A provider that answers with the path, and a client that reaches it only through the proxy. */
async function open(context: TestContext, scheme: 'http' | 'https', options: Options = {}) {
  const answer = ({ socket, path }: { socket: { write(text: string): unknown }; path: string }) =>
    socket.write(plain(path))
  const provider = new RawProvider(answer, scheme === 'https' ? (options.certificate ?? certificate) : undefined)
  await provider.listen()
  const proxy = await openFakeProxy(context, options.isSecureProxy ? certificate : undefined)
  proxy.targetPort = provider.port
  const address = `${options.isSecureProxy ? 'https' : 'http'}://user:${PASSWORD}@127.0.0.1:${proxy.port}/`
  const settings = toProxy('HTTPS_PROXY', address)
  const upstream = openUpstream({ trust, chooseProxy: () => settings, quietMs: 0 })
  context.after(async () => {
    await upstream.close()
    await provider.stop()
  })
  const ask = async (path: string, signal = new AbortController().signal, connectMs = LONG_MS) => {
    const request = { method: 'GET', url: `${scheme}://${NAME}${path}`, headers: {}, body: null } as const
    const timeouts = { connectMs, headersMs: LONG_MS, idleMs: LONG_MS }
    return textOf((await upstream.send(request, { signal, timeouts, owner: 'owner' })).body)
  }
  return { provider, proxy, ask, upstream, settings }
}

async function failureOf(work: Promise<unknown>): Promise<WireFailure> {
  return work.then(
    () => assert.fail('it should have failed'),
    (error) => error,
  )
}
