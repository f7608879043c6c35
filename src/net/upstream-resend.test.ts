import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withEnoughTime } from '../../test/fakes/enough-time.ts'
import { chunked, closed, openProvider, plain, type RequestView } from './fixtures/raw-provider.ts'

// A provider may close an idle connection while a request is on its way to it. Nobody has answered that request, so it is
// sent once more, on a new connection.

const CALLS = 500

test('a provider that closes whenever a connection is used again answers every call', async (context) => {
  const used = new Set<number>()
  const { text } = await openProvider(context, ({ socket, path, connection }) => {
    if (used.has(connection)) return socket.destroy()
    used.add(connection)
    socket.write(plain(path))
  })
  for (let call = 0; call < CALLS; call++) assert.equal(await text(`/${call}`), `/${call}`)
})

test('so does one that ends its connections instead of resetting them', async (context) => {
  const used = new Set<number>()
  const { text } = await openProvider(context, ({ socket, path, connection }) => {
    if (used.has(connection)) return socket.end()
    used.add(connection)
    socket.write(chunked(path))
  })
  for (let call = 0; call < CALLS; call++) assert.equal(await text(`/${call}`), `/${call}`)
})

for (const how of ['end', 'destroy', 'resetAndDestroy'] as const)
  test(`so does one that closes 0 to 6 ms after its answer (${how})`, async (context) => {
    const { text } = await openProvider(context, ({ socket, path }) => {
      socket.write(plain(path))
      setTimeout(() => socket[how](), Number(path.slice(1)) % 7)
    })
    const lanes = Array.from({ length: 10 }, (_, lane) => lane)
    await Promise.all(
      lanes.map(async (lane) => {
        for (let call = lane; call < CALLS; call += lanes.length) assert.equal(await text(`/${call}`), `/${call}`)
      }),
    )
  })

test('a body that is read from a file is read again', async (context) => {
  const { provider, text } = await openProvider(context, closingOnReuse)
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
  assert.equal(await text('/again', { source }), '/again')
  assert.equal(reads, 2)
  assert.deepEqual(
    provider.requests.slice(1).map(({ body }) => body.toString()),
    ['abcdef', 'abcdef'],
  )
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

test('the request is sent twice at most', async (context) => {
  const { provider, text } = await openProvider(context, ({ socket, path }) =>
    path === '/first' ? socket.write(plain(path)) : socket.destroy(),
  )
  await text('/first')
  await assert.rejects(text('/second'), { kind: 'reset' })
  assert.deepEqual(pathsOf(provider.requests), ['/first', '/second', '/second'])
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

test('a caller that leaves while the request is being sent again reaches the new connection', async (context) => {
  const leaving = new AbortController()
  const { provider, text } = await openProvider(context, (asked) => {
    if (asked.connection === 0) return closingOnReuse(asked)
    leaving.abort(new Error('left'))
  })
  await text('/first')
  await assert.rejects(text('/second', {}, { signal: leaving.signal }), /left/)
  await closed(provider.sockets[1])
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

function closingOnReuse({ socket, path, connection }: RequestView): void {
  if (connection === 0 && path !== '/' && path !== '/first') socket.destroy()
  else socket.write(plain(path))
}

function pathsOf(requests: readonly RequestView[]): string[] {
  return requests.map(({ path }) => path)
}
