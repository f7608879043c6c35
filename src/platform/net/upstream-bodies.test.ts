import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WireSource } from '../../translation/wire/wire.ts'
import { closed, openProvider, plain, textOf } from './fixtures/raw-provider.ts'
import { MB } from '../../base/units/units.ts'

/** In megabytes: more than the system buffers for a socket whose peer does not read. */
const MANY = 24
const FIVE_MEGABYTES = 5 * MB

test('bodies arrive byte for byte, and their length is that in bytes', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket }) => socket.write(plain('')))
  const bodies = [
    ...[
      '',
      'plain',
      'äöü',
      '日本語 😀',
      'a lone \ud800 half',
      '\0\r\n\r\nGET / HTTP/1.1\r\n\r\n',
      '\x80\xff',
      'ÿ'.repeat(70_000),
    ],
    ...[
      new Uint8Array(0),
      new Uint8Array([0, 255, 128, 13, 10]),
      Buffer.from('äöü'),
      new Uint8Array([1, 2, 3, 4]).subarray(1, 3),
    ],
  ]
  for (const body of bodies) await text('/', { body })
  for (const [index, body] of bodies.entries()) {
    const expected = Buffer.from(body as string)
    assert.ok(provider.requests[index]!.body.equals(expected), `${index}`)
    assert.match(provider.requests[index]!.head, new RegExp(`\\r\\ncontent-length: ${expected.length}\\r\\n\\r\\n$`))
  }
  await text('/', { body: null })
  await text('/', { body: null, method: 'GET' })
  assert.match(provider.requests.at(-2)!.head, /content-length: 0\r\n/)
  assert.doesNotMatch(provider.requests.at(-1)!.head, /content-length/)
  assert.deepEqual([provider.sockets.length, provider.requests.length], [1, bodies.length + 2])
})

test('five megabytes there and back, as text and as bytes, over one connection', async (context) => {
  const { provider, ask } = await openProvider(context, ({ socket, body }) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`)
    socket.write(body)
  })
  for (const body of ['0123456789abcdef'.repeat(FIVE_MEGABYTES / 16), Buffer.alloc(FIVE_MEGABYTES, '\x00\xff\r\nä')]) {
    const chunks: Uint8Array[] = []
    for await (const chunk of (await ask('/', { body })).body) chunks.push(chunk)
    assert.ok(Buffer.concat(chunks).equals(Buffer.from(body as string)))
  }
  assert.equal(provider.sockets.length, 1)
})

test('a header that could end a line early is refused before a byte is written', async (context) => {
  const { provider, ask, text } = await openProvider(context, ({ socket }) => socket.write(plain('')))
  await text()
  const { bytes } = provider
  for (const headers of [{ 'x-a': 'b\r\nhost: evil' }, { 'x-a\r\n': 'b' }, { 'x-a': 'ł' }] as Record<string, string>[])
    await assert.rejects(ask('/', { headers }), { kind: 'protocol' })
  await assert.rejects(ask('/', { url: 'no address' }), TypeError)
  await nextTurn()
  assert.equal(provider.bytes, bytes)
})

test('a source is written as it comes, and the connection is used again', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket, body }) => socket.write(plain(`${body}`)))
  const pieces = ['he', 'llo ', '', 'wörld']
  const source = sourceOf(12, pieces)
  assert.equal(await text('/', { source }), 'hello wörld')
  assert.equal(await text('/', { source }), 'hello wörld')
  assert.equal(await text('/', { source: sourceOf(0, []) }), '')
  assert.equal(await text('/', { body: 'and a text' }), 'and a text')
  assert.equal(provider.sockets.length, 1)
})

test('a large source waits for its receiver', async (context) => {
  const { provider, ask } = await openProvider(context, ({ socket, body }) => socket.write(plain(`${body.length}`)))
  provider.server.on('connection', (socket) => socket.pause())
  let read = 0
  const source = sourceOf(
    MANY * MB,
    repeated(Buffer.alloc(MB), MANY, () => read++),
  )
  const pending = ask('/', { source })
  await once(provider.server, 'connection')
  let before = -1
  while (read !== before || read === 0) {
    before = read
    for (let turn = 0; turn < 20; turn++) await nextTurn()
  }
  assert.ok(read < MANY, `${read} MB were read although the server took none`)
  provider.sockets[0]!.resume()
  assert.equal(await textOf((await pending).body), String(MANY * MB))
})

const WRONG: Record<string, { source: WireSource; max: number }> = {
  'too short': { source: sourceOf(10, ['hello']), max: 5 },
  'too long': { source: sourceOf(10, ['hello', 'world', '!']), max: 10 },
  'too long in one piece': { source: sourceOf(10, ['hello', 'worlds']), max: 5 },
  'with more than nothing': { source: sourceOf(0, ['hello']), max: 0 },
  'that breaks': { source: sourceOf(10, broken('hello')), max: 5 },
  'that cannot be opened': {
    source: {
      length: 10,
      read: () => {
        throw new Error('no such file')
      },
    },
    max: 0,
  },
}

for (const [name, { source, max }] of Object.entries(WRONG))
  test(`a source ${name} fails; no byte beyond the declared length is written`, async (context) => {
    const { provider, ask, text } = await openProvider(context, ({ socket, path }) => {
      if (path === '/next') socket.write(plain(path))
    })
    let written = ''
    provider.server.once('connection', (socket) => socket.on('data', (bytes) => (written += bytes)))
    await assert.rejects(ask('/', { source }), { kind: 'reset' })
    await closed(provider.sockets[0])
    const body = written.slice(written.indexOf('\r\n\r\n') + 4)
    assert.ok(written === '' || 'helloworld'.slice(0, max).startsWith(body), body)
    assert.equal(await text('/next'), '/next')
    assert.equal(provider.requests.at(-1)!.connection, 1)
  })

test('an answer during sending stops the sending; the answer counts, the connection is not reused', async (context) => {
  const { provider, ask } = await openProvider(context, () => assert.fail('the request must not be sent as a whole'))
  provider.server.on('connection', (socket) =>
    socket
      .removeAllListeners('data')
      .once('data', () => socket.write(plain('too large').replace('200 OK', '413 Too Large'))),
  )
  const left = Promise.withResolvers<void>()
  const { status, body } = await ask('/', { source: sourceOf(1e12, endless(left.resolve)) })
  assert.deepEqual([status, await textOf(body)], [413, 'too large'])
  provider.sockets[0]!.resume()
  await Promise.all([left.promise, closed(provider.sockets[0])])
})

test('an answer while the source is awaited: not everything was sent, so the connection is not reused', async (context) => {
  const { provider, ask } = await openProvider(context, () => assert.fail('this is no whole request'))
  provider.server.on('connection', (socket) =>
    socket.removeAllListeners('data').once('data', () => socket.write(plain('no'))),
  )
  const { promise: waiting, resolve: goOn } = Promise.withResolvers<void>()
  const source = { length: 2, read: () => slowly(waiting) }
  for (const connections of [1, 2]) {
    assert.equal(await textOf((await ask('/', { source })).body), 'no')
    assert.equal(provider.sockets.length, connections)
  }
  goOn()
})

test('aborted while sending, the source is let go', async (context) => {
  const controller = new AbortController()
  const { provider, ask } = await openProvider(context, () => assert.fail('the request must not be sent as a whole'))
  provider.server.on('connection', (socket) =>
    socket.removeAllListeners('data').once('data', () => controller.abort(new Error('enough'))),
  )
  const left = Promise.withResolvers<void>()
  await assert.rejects(
    ask('/', { source: sourceOf(1e12, endless(left.resolve)) }, { signal: controller.signal }),
    /enough/,
  )
  provider.sockets[0]!.resume()
  await Promise.all([left.promise, closed(provider.sockets[0])])
})

function sourceOf(length: number, pieces: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>): WireSource {
  return {
    length,
    async *read() {
      for await (const piece of pieces) {
        await nextTurn()
        yield Buffer.from(piece as string)
      }
    },
  }
}

function* repeated(piece: Uint8Array, times: number, onRead: () => void): Generator<Uint8Array> {
  for (let time = 0; time < times; time++) {
    onRead()
    yield piece
  }
}

function* broken(piece: string): Generator<string> {
  yield piece
  throw new Error('the disk is gone')
}

async function* slowly(waiting: Promise<void>): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1)
  await waiting
  yield new Uint8Array(1)
}

function* endless(onLeft: () => void): Generator<Uint8Array> {
  try {
    for (;;) yield new Uint8Array(65_536)
  } finally {
    onLeft()
  }
}
