import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { closed, openProvider, plain, textOf } from './fixtures/raw-provider.ts'
import { MB } from '../../base/units/units.ts'

const REASON = new Error('the caller left')

test('aborted before it begins, nothing is opened', async (context) => {
  const { provider, ask } = await openProvider(context, ({ socket }) => socket.write(plain('')))
  await assert.rejects(ask('/', {}, { signal: AbortSignal.abort(REASON) }), REASON)
  await ask()
  assert.equal(provider.sockets.length, 1)
})

test('aborted while connecting, it fails at once, and the connection serves the next', async (context) => {
  const { provider, ask, text } = await openProvider(context, ({ socket, path }) => socket.write(plain(path)))
  const controller = new AbortController()
  const pending = ask('/', {}, { signal: controller.signal })
  controller.abort(REASON)
  await assert.rejects(pending, REASON)
  await once(provider.server, 'connection')
  for (let turns = 0; turns < 3; turns++) await nextTurn()
  assert.equal(await text('/next'), '/next')
  assert.deepEqual(
    provider.requests.map(({ path }) => path),
    ['/next'],
  )
})

test('aborted before a free connection was used: nothing is written, and the connection stays', async (context) => {
  const { provider, ask, text } = await openProvider(context, ({ socket, path }) => socket.write(plain(path)))
  await text('/first')
  for (let turns = 0; turns < 2; turns++) {
    const controller = new AbortController()
    const pending = ask('/never', {}, { signal: controller.signal })
    for (let turn = 0; turn < turns; turn++) await nextTurn()
    controller.abort(REASON)
    await assert.rejects(pending, REASON)
    for (let turn = 0; turn < 3; turn++) await nextTurn()
  }
  assert.equal(await text('/next'), '/next')
  assert.deepEqual(
    provider.requests.map(({ path }) => path),
    ['/first', '/next'],
  )
  assert.equal(provider.sockets.length, 1)
})

test('aborted before the head, the promise fails and the connection is closed', async (context) => {
  const controller = new AbortController()
  const { provider, ask } = await openProvider(context, () => controller.abort(REASON))
  await assert.rejects(ask('/', {}, { signal: controller.signal }), REASON)
  await closed(provider.sockets[0])
})

test('an abort in the body reaches the reader after the bytes that had arrived', async (context) => {
  const controller = new AbortController()
  const { provider, ask } = await openProvider(context, ({ socket }) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello'),
  )
  const { body } = await ask('/', {}, { signal: controller.signal })
  const chunks: string[] = []
  const reading = (async () => {
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk).toString())
      setImmediate(() => controller.abort(REASON))
    }
  })()
  await assert.rejects(reading, REASON)
  assert.deepEqual(chunks, ['hello'])
  await closed(provider.sockets[0])
})

test('an abort in an unread body leaves nothing open, and a later reader gets the error', async (context) => {
  const controller = new AbortController()
  const { provider, ask } = await openProvider(context, ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.write(Buffer.alloc(MB))
  })
  const { body } = await ask('/', {}, { signal: controller.signal })
  await nextTurn()
  controller.abort(REASON)
  await closed(provider.sockets[0])
  await assert.rejects(textOf(body), REASON)
})

test('aborted after the end, the body is there and the connection is used again', async (context) => {
  const controller = new AbortController()
  const { provider, ask, text } = await openProvider(context, ({ socket, path }) => socket.write(plain(path)))
  const { body } = await ask('/whole', {}, { signal: controller.signal })
  controller.abort(REASON)
  assert.equal(await textOf(body), '/whole')
  assert.equal(await text('/next'), '/next')
  assert.equal(provider.sockets.length, 1)
})

test('a reader that leaves early closes the connection', async (context) => {
  const { provider, ask, text } = await openProvider(context, ({ socket, path }) =>
    socket.write(path === '/next' ? plain(path) : 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello'),
  )
  for await (const _ of (await ask()).body) break
  await closed(provider.sockets[0])
  assert.equal(await text('/next'), '/next')
})

test('closing fails all open requests: before the head, in the body, and while connecting', async (context) => {
  const { provider, ask, upstream } = await openProvider(context, ({ socket, path }) => {
    if (path === '/body') socket.write('HTTP/1.1 200 OK\r\n\r\nhello')
    else pending.resolve()
  })
  const pending = Promise.withResolvers<void>()
  const { body } = await ask('/body')
  const silent = ask('/silent')
  await pending.promise
  const connecting = ask('/connecting')
  const failures = [textOf(body), silent, connecting].map((promise) => assert.rejects(promise, { kind: 'reset' }))
  await upstream.close()
  await Promise.all(failures)
  for (const socket of provider.sockets) await closed(socket)
})

test('a provider that closes without a word, or in the middle, is a reset', async (context) => {
  const { ask, text } = await openProvider(context, ({ socket, path }) => {
    if (path === '/cut') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello')
    if (path === '/reset') socket.resetAndDestroy()
    else socket.end()
  })
  await assert.rejects(ask('/'), { kind: 'reset' })
  await assert.rejects(ask('/reset'), { kind: 'reset' })
  await assert.rejects(text('/cut'), { kind: 'reset' })
})

test('a port without a listener, and a name that does not exist', async (context) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  const { ask } = await openProvider(context, () => {})
  for (const host of ['127.0.0.1', 'localhost'])
    await assert.rejects(ask('/', { url: `http://${host}:${port}/` }), { kind: 'refused' })
  // A name this long is invalid, so no name server is asked.
  await assert.rejects(ask('/', { url: `http://${'x'.repeat(64)}.invalid/` }), { kind: 'dns' })
})
