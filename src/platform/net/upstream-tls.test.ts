import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { makeCertificate } from './egress/fixtures/self-made-certificate.ts'
import { closed, openProvider, plain } from './fixtures/raw-provider.ts'
import { MB } from '../../base/units/units.ts'

const certificate = makeCertificate(['127.0.0.1', 'localhost'])
const trusted = { certificate, trust: { ca: certificate.cert } }

test('over TLS a connection is used again; a new one goes on where the last one was', async (context) => {
  const isReused: boolean[] = []
  const { provider, text } = await openProvider(
    context,
    ({ socket, path, connection }) => {
      isReused[connection] = (socket as TLSSocket).isSessionReused()
      socket.write(plain(path, path === '/last' ? 'connection: close' : 'x: y'))
    },
    trusted,
  )
  for (const path of ['/1', '/2', '/last']) assert.equal(await text(path), path)
  assert.equal(provider.sockets.length, 1)
  await closed(provider.sockets[0])
  assert.equal(await text('/next'), '/next')
  assert.deepEqual(isReused, [false, true])
})

test('an answer that is faster than TLS can say that the request was written costs no connection', async (context) => {
  const { provider, text } = await openProvider(
    context,
    ({ socket, path }) => path !== '/fast' && socket.write(plain(path)),
    trusted,
  )
  await text('/first')
  const fast = text('/fast')
  // Two turns later, the request has just been written: it is answered before it is read.
  setImmediate(() => setImmediate(() => provider.sockets[0]!.write(plain('fast'))))
  assert.equal(await fast, 'fast')
  await nextTurn()
  assert.equal(await text('/next'), '/next')
  assert.equal(provider.sockets.length, 1)
})

test('the TLS handshake names the host and HTTP/1.1', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket }) => socket.write(plain('')), {
    ...trusted,
    host: 'localhost',
  })
  await text()
  const socket = provider.sockets[0] as TLSSocket
  assert.deepEqual(
    [(socket as { servername?: string }).servername, provider.requests[0]!.head.includes(`localhost:${provider.port}`)],
    ['localhost', true],
  )
})

test('a server with a certificate for another name, or of an untrusted issuer, gets no byte of the request', async (context) => {
  const other = makeCertificate(['other.example.org'])
  const wrongName = await openProvider(context, () => assert.fail(), { certificate: other, trust: { ca: other.cert } })
  const unknown = await openProvider(context, () => assert.fail(), { certificate })
  for (const { provider, ask } of [wrongName, unknown])
    for (let time = 0; time < 2; time++) {
      await assert.rejects(ask('/', { body: 'secret' }), { kind: 'tls' })
      for (const socket of provider.sockets) await closed(socket)
      assert.equal(provider.bytes, 0)
    }
})

test('a provider that speaks no TLS, or goes away while it is agreed on', async (context) => {
  const { provider, ask } = await openProvider(context, () => assert.fail())
  const url = `https://127.0.0.1:${provider.port}/`
  provider.server.once('connection', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await assert.rejects(ask('/', { url }), { kind: 'tls' })
  provider.server.once('connection', (socket) => socket.end())
  await assert.rejects(ask('/', { url }), { kind: 'refused' })
})

test('large bodies over TLS, there and back', async (context) => {
  const { provider, ask } = await openProvider(
    context,
    ({ socket, body }) => {
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`)
      socket.write(body)
      socket.write('\r\n0\r\n\r\n')
    },
    trusted,
  )
  const body = Buffer.alloc(2 * MB, '\x00\xff\r\nä')
  for (let time = 0; time < 2; time++) {
    const chunks: Uint8Array[] = []
    for await (const chunk of (await ask('/', { body })).body) chunks.push(chunk)
    assert.ok(Buffer.concat(chunks).equals(body))
  }
  assert.equal(provider.sockets.length, 1)
})

test('a forged answer on an idle secure connection is not used for any request', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket, path }) => socket.write(plain(path)), trusted)
  await text('/first')
  await new Promise<void>((resolve) => provider.sockets[0]!.write(plain('forged'), () => resolve()))
  assert.equal(await text('/second'), '/second')
  assert.equal(provider.sockets.length, 2)
})
