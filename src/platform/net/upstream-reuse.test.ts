import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { chunked, closed, openProvider, plain, textOf } from './fixtures/raw-provider.ts'
import { MB } from '../../base/units/units.ts'

// A connection that serves many callers must never give one caller another's answer.

test('a connection is used again after every answer that says where it ends', async (context) => {
  const answers = [
    plain('1'),
    chunked('2'),
    plain(''),
    'HTTP/1.1 204 \r\n\r\n',
    'HTTP/1.1 304 \r\ncontent-length: 9\r\n\r\n',
    'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\n6',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 \r\n\r\n${plain('7', 'keep-alive: timeout=60')}`,
    plain('8'),
  ]
  const { provider, text } = await openProvider(context, ({ socket }) =>
    socket.write(answers[provider.requests.length - 1]!),
  )
  const bodies: string[] = []
  for (const _ of answers) bodies.push(await text())
  assert.deepEqual(bodies, ['1', '2', '', '', '', '6', '7', '8'])
  assert.equal(provider.sockets.length, 1)
})

const NOT_AGAIN: Record<string, { answer: string; isEnded?: boolean; body?: string }> = {
  'after “close”': { answer: plain('mine', 'connection: close') },
  'of HTTP/1.0': { answer: 'HTTP/1.0 200 OK\r\ncontent-length: 4\r\n\r\nmine' },
  'whose answer ended with it': { answer: 'HTTP/1.1 200 OK\r\n\r\nmine', isEnded: true },
  'with a byte too many': { answer: `${plain('mine')}\n` },
  'with two answers at once': { answer: plain('mine') + plain('forged') },
  'with an answer to a 204': { answer: `HTTP/1.1 204 \r\ncontent-length: 6\r\n\r\n${plain('forged')}`, body: '' },
  'with something after the last chunk': { answer: `${chunked('mine')}0\r\n\r\n` },
  'that will be closed at once': { answer: plain('mine', 'keep-alive: timeout=1') },
}

for (const [name, { answer, isEnded, body = 'mine' }] of Object.entries(NOT_AGAIN))
  test(`a connection ${name} is not used again`, async (context) => {
    const { provider, text } = await openProvider(context, ({ socket, connection }) => {
      if (connection > 0) socket.write(plain('next'))
      else if (isEnded) socket.end(answer)
      else socket.write(answer)
    })
    assert.equal(await text(), body)
    await closed(provider.sockets[0])
    assert.equal(await text(), 'next')
    assert.equal(provider.sockets.length, 2)
  })

test('a broken answer fails its request, and its connection is not used again', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket, connection }) =>
    socket.write(connection > 0 ? plain('next') : 'HTTP/1.1 200 OK\r\ncontent-length: 4,4\r\n\r\nmine'),
  )
  await assert.rejects(text(), { kind: 'protocol' })
  await closed(provider.sockets[0])
  assert.equal(await text(), 'next')
})

test('bytes that arrive on an idle connection are never an answer, even right before a request', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket, path }) => socket.write(plain(path)))
  assert.equal(await text('/first'), '/first')
  // Sent in the turn of the event loop in which bytes arrive, as a caller's request is.
  const caller = await openProvider(context, ({ socket }) => {
    provider.sockets[0]!.write(plain('forged'))
    answers.push(text('/second'), text('/third'))
    socket.write(plain(''))
  })
  const answers: Promise<string>[] = []
  await caller.text()
  assert.deepEqual(await Promise.all(answers), ['/second', '/third'])
  assert.deepEqual(
    provider.requests
      .map(({ connection }) => connection)
      .slice(1)
      .includes(0),
    false,
  )
})

test('bytes right behind an answer are never an answer, even if the next request waits', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket, path }) => socket.write(plain(path)))
  const second = text('/first').then(() => {
    provider.sockets[0]!.write(plain('forged'))
    return text('/second')
  })
  assert.equal(await second, '/second')
  assert.equal(provider.requests[1]!.connection, 1)
})

test('that a provider closes a connection while it is idle fails no request', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket, path }) => socket.write(plain(path)))
  for (let round = 0; round < 5; round++) {
    await text()
    const socket = provider.sockets[round]!
    if (round % 2) socket.destroy()
    else await once(socket.end(), 'finish')
    assert.equal(await text('/next'), '/next')
  }
})

test('nor that it closes in the very turn in which the next request comes', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket, path }) => socket.write(plain(path)))
  await text()
  const { promise, resolve } = Promise.withResolvers<string>()
  const caller = await openProvider(context, ({ socket }) => {
    provider.sockets[0]!.destroy()
    resolve(text('/next'))
    socket.write(plain(''))
  })
  await caller.text()
  assert.equal(await promise, '/next')
})

test('an answer that comes before the request was written counts, but the connection does not', async (context) => {
  const { provider, ask } = await openProvider(context, () => assert.fail('the request must not be read as a whole'))
  provider.server.on('connection', (socket) => {
    socket.removeAllListeners('data').pause()
    socket.write(plain('enough'))
  })
  const { body } = await ask('/', { body: Buffer.alloc(32 * MB) })
  assert.equal(await textOf(body), 'enough')
  assert.equal(await textOf((await ask('/')).body), 'enough')
  assert.equal(provider.sockets.length, 2)
  provider.sockets[0]!.resume()
  await closed(provider.sockets[0])
})

test('many at once take many connections, and those that come later use them again', async (context) => {
  const held: (() => void)[] = []
  const { provider, text } = await openProvider(context, ({ socket, path }) => {
    const answer = () => socket.write(plain(path))
    if (held.push(answer) % 20 === 0) for (const release of held.splice(0)) release()
  })
  for (let round = 0; round < 3; round++) {
    const paths = Array.from({ length: 20 }, (_, index) => `/${round}/${index}`)
    assert.deepEqual(await Promise.all(paths.map((path) => text(path))), paths)
    await nextTurn()
  }
  assert.equal(provider.sockets.length, 20)
})
