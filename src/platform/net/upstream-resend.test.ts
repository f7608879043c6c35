import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { withEnoughTime } from '../../../test/fakes/enough-time.ts'
import { newSendReport } from '../../translation/wire/wire.ts'
import { closed, openProvider, plain, type RequestView } from './fixtures/raw-provider.ts'
import { openUpstream } from './upstream.ts'

// A request that was written is not sent again, however its connection ends: the provider may be at work on it.

for (const how of ['end', 'destroy', 'resetAndDestroy'] as const)
  test(`a provider that closes a connection when it is used again gets the request once (${how})`, async (context) => {
    const { provider, text } = await openProvider(context, ({ socket, path }) =>
      path === '/first' ? socket.write(plain(path)) : socket[how](),
    )
    await text('/first')
    await assert.rejects(text('/second'), { kind: 'reset' })
    assert.deepEqual(pathsOf(provider.requests), ['/first', '/second'])
  })

test('a body that is read from a file is read once', async (context) => {
  const { text } = await openProvider(context, ({ socket, path, connection }) =>
    connection === 0 && path === '/again' ? socket.destroy() : socket.write(plain(path)),
  )
  await text()
  let reads = 0
  const source = {
    length: 6,
    read: async function* () {
      reads++
      yield Buffer.from('abc')
      yield Buffer.from('def')
    },
  }
  await assert.rejects(text('/again', { source }), { kind: 'reset' })
  assert.equal(reads, 1)
})

test('a connection that has been idle for long is closed and not used again', async (context) => {
  const { provider, text } = await openProvider(
    context,
    // A mute connection: what is written to it gets lost.
    ({ socket, path, connection }) => void (connection === 0 && path !== '/first' ? 0 : socket.write(plain(path))),
    { idleMs: 1 },
  )
  await text('/first')
  await closed(provider.sockets[0])
  assert.equal(await text('/second'), '/second')
  assert.equal(provider.requests[1]!.connection, 1)
})

test('a server may say that it keeps its connections longer', async (context) => {
  const { provider, text } = await openProvider(
    context,
    ({ socket, path }) => socket.write(plain(path, 'keep-alive: timeout=60')),
    { idleMs: 0 },
  )
  await text('/first')
  await text('/second')
  assert.equal(provider.sockets.length, 1)
})

test('a connection that breaks while it is opened is no request that was written', async (context) => {
  const report = newSendReport()
  const { text } = await openProvider(context, ({ socket }) => socket.destroy(), { quietMs: 0 })
  await assert.rejects(text('/', {}, { report }), { kind: 'reset' })
  assert.equal(report.isWritten, true)
  // A server that speaks no TLS hangs up during the handshake.
  const plainServer = createServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1')
  await once(plainServer, 'listening')
  const upstream = openUpstream()
  const { port } = plainServer.address() as AddressInfo
  const unsent = newSendReport()
  const request = { method: 'POST' as const, url: `https://127.0.0.1:${port}/`, headers: {}, body: '{}' }
  const timeouts = { headersMs: 10_000, idleMs: 10_000 }
  const options = { signal: new AbortController().signal, timeouts, owner: 'a', report: unsent }
  await assert.rejects(upstream.send(request, options), { kind: 'refused' })
  assert.equal(unsent.isWritten, false)
  await upstream.close()
  plainServer.close()
})

test('a body that cannot be read is not sent again', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket, path }) => socket.write(plain(path)))
  await text()
  let reads = 0
  const read = async function* () {
    reads++
    yield Buffer.from('abc')
    throw new Error('the disk is gone')
  }
  await assert.rejects(text('/again', { source: { length: 6, read } }), { kind: 'reset' })
  assert.equal(reads, 1)
  assert.equal(provider.requests.length, 1)
})

test('a new connection that dies fails its request at once', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket }) => socket.destroy())
  await assert.rejects(text('/only'), { kind: 'reset' })
  assert.deepEqual(pathsOf(provider.requests), ['/only'])
})

const ANSWERED = {
  'one byte': 'H',
  'an interim answer': 'HTTP/1.1 103 \r\n\r\n',
  'half an answer': plain('half').slice(0, -2),
}

for (const [name, bytes] of Object.entries(ANSWERED))
  test(`after ${name} the request is not sent again`, async (context) => {
    const { provider, text } = await openProvider(context, ({ socket, path }) =>
      path === '/first' ? socket.write(plain(path)) : socket.end(bytes),
    )
    await text('/first')
    await assert.rejects(text('/second'), { kind: 'reset' })
    assert.deepEqual(pathsOf(provider.requests), ['/first', '/second'])
  })

test('a provider that is silent on a used connection is not asked again', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket, path }) => {
    if (path === '/first') socket.write(plain(path))
  })
  await withEnoughTime(20, async (headersMs) => {
    provider.requests.length = 0
    await text('/first')
    await assert.rejects(text('/second', {}, { timeouts: { headersMs, idleMs: headersMs } }), {
      kind: 'headers_timeout',
    })
    assert.deepEqual(pathsOf(provider.requests), ['/first', '/second'])
  })
})

test('closing the gateway fails a request on a used connection instead of sending it again', async (context) => {
  const { provider, text, upstream } = await openProvider(context, ({ socket, path }) => {
    if (path === '/first') return socket.write(plain(path))
    return upstream.close()
  })
  await text('/first')
  await assert.rejects(text('/second'), { kind: 'reset' })
  assert.equal(provider.sockets.length, 1)
})

function pathsOf(requests: readonly RequestView[]): string[] {
  return requests.map(({ path }) => path)
}
