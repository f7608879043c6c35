import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeCertificate } from './egress/fixtures/self-made-certificate.ts'
import { closed, openProvider, plain, textOf } from './fixtures/raw-provider.ts'
import { MB } from '../../base/units/units.ts'

const LONG_MS = 600_000
const SHORT_MS = 20
/** Any other limit would take longer. */
const LONGER_THAN_THE_LIMIT = { timeout: LONG_MS / 3 }

const limited = (timeouts: { connectMs?: number; headersMs?: number; idleMs?: number }) => ({
  timeouts: { headersMs: LONG_MS, idleMs: LONG_MS, ...timeouts },
})

test('a connection that is not ready in time is given up', async (context) => {
  // The server accepts connections, but never starts the TLS handshake.
  const { provider, ask } = await openProvider(context, () => {})
  const url = `https://127.0.0.1:${provider.port}/`
  await assert.rejects(ask('/', { url }, limited({ connectMs: SHORT_MS })), { kind: 'connect_timeout' })
  await closed(provider.sockets[0])
})

test(
  'no head in time, whatever comes before it, on a new connection and on a used one',
  LONGER_THAN_THE_LIMIT,
  async (context) => {
    const { provider, ask, text } = await openProvider(context, ({ socket, path }) =>
      socket.write(path === '/good' ? plain('good') : 'HTTP/1.1 103 \r\n\r\nHTTP/1.1 200'),
    )
    for (const isUsed of [false, true]) {
      if (isUsed) assert.equal(await text('/good'), 'good')
      const late = ask('/', {}, limited({ connectMs: LONG_MS, headersMs: SHORT_MS }))
      await assert.rejects(late, { kind: 'headers_timeout' })
      await closed(provider.sockets.at(-1))
    }
    assert.equal(provider.sockets.length, 2)
  },
)

test('the body stops in the middle', async (context) => {
  const { provider, ask } = await openProvider(context, ({ socket }) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello'),
  )
  const { body } = await ask('/', {}, limited({ idleMs: SHORT_MS }))
  await assert.rejects(textOf(body), { kind: 'idle_timeout' })
  await closed(provider.sockets[0])
})

const KILOBYTE = 'x'.repeat(1_024)
const GOING_ON = {
  'a body': { type: 'application/json', pieces: ['{', KILOBYTE, KILOBYTE, KILOBYTE] },
  'a stream': { type: 'text/event-stream', pieces: ['data: 1\n\n', ': ping\n\n', 'data: 2\n\n', ':\n'] },
}

for (const [what, { type, pieces }] of Object.entries(GOING_ON))
  test(`${what} that goes on has no limit as a whole`, async (context) => {
    const pass = ownClock(context)
    const length = pieces.join('').length
    const { provider, ask } = await openProvider(context, ({ socket }) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${pieces[0]}`),
    )
    const { body } = await ask('/', {}, limited({ headersMs: 100, idleMs: 150 }))
    let text = ''
    let next = 1
    for await (const chunk of body) {
      text += Buffer.from(chunk).toString()
      if (text.length < pieces.slice(0, next).join('').length) continue
      pass(149)
      provider.sockets[0]!.write(pieces[next++] ?? '')
    }
    assert.equal(text, pieces.join(''))
  })

const MEGABYTES = 5
const LARGE = Buffer.alloc(MEGABYTES * MB, 'abcdefghijklmnopqrstuvwxyz')
const certificate = makeCertificate(['127.0.0.1'])

// A provider that waits for its reader is not silent, so its time limit does not run.
for (const isSecure of [false, true])
  test(`a slow reader holds the provider back, ${isSecure ? 'over TLS' : 'in the clear'}`, async (context) => {
    const pass = ownClock(context)
    const settings = isSecure ? { certificate, trust: { ca: certificate.cert } } : {}
    const { provider, ask, text } = await openProvider(
      context,
      ({ socket, path }) => {
        if (path === '/next') return socket.write(plain(path))
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${LARGE.length}\r\n\r\n`)
        // Written in pieces, to see how much of it was accepted.
        for (let at = 0; at < LARGE.length; at += 65_536) socket.write(LARGE.subarray(at, at + 65_536))
      },
      settings,
    )
    const { body } = await ask('/')
    const before = process.memoryUsage().arrayBuffers
    await heldBack(provider.sockets[0]!)
    pass(10 * LONG_MS)
    assert.ok(
      process.memoryUsage().arrayBuffers - before < LARGE.length / 2,
      'a body that the caller did not read was buffered',
    )
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    assert.ok(Buffer.concat(chunks).equals(LARGE))
    assert.equal(await text('/next'), '/next')
    assert.equal(provider.sockets.length, 1)
  })

test('a provider that closes while its reader is slow is read to the end, and then believed or not', async (context) => {
  const pass = ownClock(context)
  const { provider, ask } = await openProvider(context, ({ socket, path }) => {
    socket.write(`HTTP/1.1 200 OK\r\n${path === '/cut' ? `content-length: ${LARGE.length + 1}\r\n` : ''}\r\n`)
    socket.end(LARGE)
  })
  for (const [index, path] of ['/whole', '/cut'].entries()) {
    const { body } = await ask(path)
    await heldBack(provider.sockets[index]!)
    pass(10 * LONG_MS)
    let bytes = 0
    const reading = (async () => {
      for await (const chunk of body) bytes += chunk.length
    })()
    if (path === '/cut') await assert.rejects(reading, { kind: 'reset' })
    else await reading
    assert.equal(bytes, LARGE.length)
  }
})

test('an answer that ends while its reader is slow leaves a connection that can be used again', async (context) => {
  const { provider, ask, text } = await openProvider(context, ({ socket, path }) => {
    socket.write(plain(path === '/next' ? path : 'x'.repeat(80_000)))
  })
  const slow = await ask('/')
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  assert.equal(await text('/next'), '/next')
  assert.equal((await textOf(slow.body)).length, 80_000)
  assert.equal(await text('/next'), '/next')
  assert.equal(provider.sockets.length, 1)
})

test('a connection is kept for four seconds, or for as long as the provider says', async (context) => {
  const pass = ownClock(context)
  const { provider, text } = await openProvider(context, ({ socket, path }) =>
    socket.write(plain(path, path === '/hint' ? 'keep-alive: timeout=5' : 'x: y')),
  )
  await text('/')
  pass(3_900)
  await text('/again')
  assert.equal(provider.sockets.length, 1)
  pass(4_000)
  await closed(provider.sockets[0])
  await text('/hint')
  pass(2_900)
  await text('/hint')
  assert.equal(provider.sockets.length, 2)
  pass(3_000)
  await closed(provider.sockets[1])
})

/** Waits until nothing more can be written to a peer that does not read. */
async function heldBack(socket: Socket): Promise<void> {
  for (let before = -1; before !== socket.writableLength; ) {
    before = socket.writableLength
    for (let turn = 0; turn < 20; turn++) await nextTurn()
  }
  assert.ok(socket.writableLength > 0, 'everything could be written')
}

/** A clock that only the test advances. */
function ownClock(context: TestContext): (ms: number) => void {
  let now = performance.now()
  context.mock.timers.enable({ apis: ['setTimeout'] })
  context.mock.method(performance, 'now', () => now)
  return (ms) => {
    now += ms
    context.mock.timers.tick(ms)
  }
}
