import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { constants, createGzip, gzipSync } from 'node:zlib'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { withEnoughTime } from '../../../../test/fakes/enough-time.ts'
import { egressUnderTest, get, NAME, textOf } from './fixtures/egress-under-test.ts'
import { closed, GOOD, type Handler, openRaw, openWeb } from './fixtures/servers.ts'
import type { EgressRequest } from './guarded-fetch.ts'
import { EgressFailed, type FailedKind } from './refusal.ts'

const CAP = { maxBytes: 100_000 }

test('a body of exactly the limit is read, one byte more is not', async (context) => {
  for (const declared of [true, false]) {
    const { fetch } = await serve(context, (request, response) => {
      const size = Number(new URL(request.url!, 'http://x').searchParams.get('size'))
      if (declared) response.setHeader('content-length', size)
      response.write('x'.repeat(size))
      response.end()
    })
    assert.equal((await textOf(await fetch('/?size=100000', CAP))).length, 100_000)
    await assertCut(fetch('/?size=100001', CAP), 'too_large')
  }
})

test('a body that says it is too large is cut before it is read, and its sender hung up on', async (context) => {
  const { fetch, good } = await serve(context, (_, response) => {
    response.writeHead(200, { 'content-length': 10_000_000_000 }).write('x')
  })
  const response = await fetch('/', CAP)
  assert.equal(response.status, 200)
  await assertCut(Promise.resolve(response), 'too_large', 0)
  await closed(good.socket(0))
})

test('an endless stream is cut at the limit, and its sender hung up on', async (context) => {
  const { fetch, good } = await serve(context, (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    }
    response.on('drain', more)
    more()
  })
  await assertCut(fetch('/', CAP), 'too_large', CAP.maxBytes)
  await closed(good.socket(0))
})

test('a request ends when its time is up: with an unread body, and with a body or headers that drip forever', async (context) => {
  await withEnoughTime(1_000, async (timeoutMs) => {
    let sent = 0
    const endless = await serve(context, (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) sent += 10_000
      }
      response.on('drain', more)
      more()
    })
    const unread = async () => {
      const response = await endless.fetch('/', { maxBytes: 1e12, timeoutMs })
      await closed(endless.good.socket(0))
      assert.ok(sent < 50_000_000, `${sent} bytes were taken`)
      await assertCut(Promise.resolve(response), 'timeout')
    }
    const dripping = await serve(context, drip)
    const inHeaders = await raw(context, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    await Promise.all([
      unread(),
      assertCut(dripping.fetch('/', { timeoutMs }), 'timeout'),
      assertKind(inHeaders.egress.fetch(get(urlOf(inHeaders.port), { timeoutMs })), 'timeout'),
    ])
    await closed(dripping.good.socket(0))
    await closed(inHeaders.seen.socket(0))
  })
})

test('silence is cut after the idle time: before the headers, and in the body', async (context) => {
  await withEnoughTime(500, async (idleMs) => {
    const silent = await raw(context, () => {}, { idleMs })
    const stalled = await serve(context, (_, response) => void response.writeHead(200).write('x'), { idleMs })
    await Promise.all([
      assertKind(silent.egress.fetch(get(urlOf(silent.port))), 'timeout'),
      assertCut(stalled.fetch('/'), 'timeout'),
    ])
  })
})

test('what is packed is not unpacked: a bomb stays what it is', async (context) => {
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  assert.ok(bomb.length < CAP.maxBytes)
  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', 'identity, gzip', 'x-anything', 'GZIP']) {
    const { fetch, seen } = await serve(context, (_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
    )
    await assertCut(fetch('/', { ...CAP, headers: { 'Accept-Encoding': 'gzip' } }), 'compressed', 0)
    assert.equal(seen[0]!['accept-encoding'], 'identity')
  }
  const plain = await serve(context, (_, response) =>
    response.writeHead(200, { 'content-encoding': 'Identity' }).end('x'),
  )
  assert.equal(await textOf(await plain.fetch('/')), 'x')
})

test('a packed transfer is not unpacked either', async (context) => {
  const { egress, port } = await raw(context, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n')
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
    gzip.on('data', (chunk: Buffer) => {
      socket.write(`${chunk.length.toString(16)}\r\n`)
      socket.end(Buffer.concat([chunk, Buffer.from('\r\n0\r\n\r\n')]))
    })
    gzip.write('hello')
  })
  await assertCut(egress.fetch(get(urlOf(port))), 'compressed', 0)
})

test('a body shorter than it says is a failure, a longer one ends where it says, one that says nothing ends with the socket', async (context) => {
  const answers: Record<string, [string, string | FailedKind]> = {
    short: ['content-length: 10\r\n\r\nhello', 'unreachable'],
    long: ['content-length: 5\r\n\r\nhello and more', 'hello'],
    none: ['\r\nhello', 'hello'],
    'cut chunk': ['transfer-encoding: chunked\r\n\r\n5\r\nhel', 'unreachable'],
    'no last chunk': ['transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n', 'unreachable'],
  }
  for (const [title, [answer, expected]] of Object.entries(answers)) {
    const { egress, port } = await raw(context, (socket) => {
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${answer}`))
    })
    const response = egress.fetch(get(urlOf(port)))
    if (expected === 'unreachable') await assertCut(response, expected)
    else assert.equal(await textOf(await response), expected, title)
  }
})

test('answers that are not HTTP, or smuggle, are failures', async (context) => {
  const answers = [
    'SSH-2.0-OpenSSH_9.6\r\n',
    '-ERR unknown command\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
    'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    `HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`,
    '',
  ]
  for (const answer of answers) {
    const { egress, port } = await raw(context, (socket) => void socket.once('data', () => socket.end(answer)))
    await assertKind(egress.fetch(get(urlOf(port))), 'unreachable')
  }
})

test('a reader that leaves closes the socket, having read some or nothing', async (context) => {
  const { fetch, good } = await serve(context, drip)
  for await (const chunk of (await fetch('/')).body) {
    assert.ok(chunk.length > 0)
    break
  }
  await closed(good.socket(0))
  await (await fetch('/')).body[Symbol.asyncIterator]().return?.()
  await closed(good.socket(1))
})

test('a caller that goes away ends it at any moment, with its own reason', async (context) => {
  const reason = new Error('the client left')
  const gone = AbortSignal.abort(reason)
  const { egress, fetch, good, port } = await serve(context, drip)
  await assert.rejects(fetch('/', { signal: gone }), reason)
  await assert.rejects(egress.fetch(get(`http://${GOOD}:${port}/`, { signal: gone })), reason)
  const asking = egressUnderTest(context, {
    resolve: () => assert.fail('the request was aborted before its name was looked up'),
  })
  await assert.rejects(asking.fetch(get(urlOf(port), { signal: gone })), reason)
  assert.equal(good.connections, 0)
  const atName = new AbortController()
  const resolving = egressUnderTest(context, { resolve: () => new Promise(() => atName.abort(reason)) })
  await assert.rejects(resolving.fetch(get(urlOf(1_234), { signal: atName.signal })), reason)
  const atHeaders = new AbortController()
  const silent = await raw(context, (socket) => void socket.once('data', () => atHeaders.abort(reason)))
  await assert.rejects(silent.egress.fetch(get(urlOf(silent.port), { signal: atHeaders.signal })), reason)
  await closed(silent.seen.socket(0))
  const atBody = new AbortController()
  const response = await fetch('/', { signal: atBody.signal })
  atBody.abort(reason)
  await assert.rejects(textOf(response), reason)
  await closed(good.socket(0))
})

test('when an answer is over, nothing of it is left: no timer, no listener, no socket', async (context) => {
  const { fetch, good } = await serve(context, (_, response) => response.end('x'))
  const { signal } = new AbortController()
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  for (let i = 0; i < 5; i++) {
    await textOf(await fetch('/', { signal }))
    await closed(good.socket(i))
  }
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  assert.ok(timers() < before + 5, `${timers()} timers`)
})

test('closing ends what is under way', async (context) => {
  const { egress, port, good } = await serve(context, drip)
  const response = await egress.fetch(get(urlOf(port)))
  egress.close()
  await assertCut(Promise.resolve(response), 'unreachable')
  await closed(good.socket(0))
  await assertKind(egress.fetch(get(urlOf(port))), 'unreachable')
})

test("a POST arrives once, with its body, and without headers that are not its sender's to choose", async (context) => {
  const bodies: string[] = []
  const { fetch, seen, port } = await serve(context, async (request, response) => {
    bodies.push(await text(request))
    response.end()
  })
  const headers = { Host: 'evil.example.org', Connection: 'keep-alive', 'Content-Length': '1', 'X-Mine': 'yes' }
  const response = await fetch('/hook?a=b', { method: 'POST', body: '{"a":1}', headers })
  assert.equal(await textOf(response), '')
  assert.deepEqual(bodies, ['{"a":1}'])
  const { host, connection, 'content-length': length, 'x-mine': mine } = seen[0]!
  assert.deepEqual(
    { host, connection, length, mine },
    { host: `${NAME}:${port}`, connection: 'close', length: '7', mine: 'yes' },
  )
})

test('a header that breaks out of its line is a failure, not a request', async (context) => {
  const { fetch, good } = await serve(context, (_, response) => response.end())
  for (const [name, value] of [
    ['x-a', 'b\r\nx-c: d'],
    ['x-a\r\nx-c', 'd'],
    ['', 'x'],
  ] as const)
    await assertKind(fetch('/', { headers: { [name]: value } }), 'unreachable')
  assert.equal(good.bytes, 0)
})

async function serve(context: TestContext, handler: Handler, limits = {}) {
  const seen: Record<string, string | string[] | undefined>[] = []
  const web = await openWeb(context, (request, response) => {
    seen.push(request.headers)
    handler(request, response)
  })
  const egress = egressUnderTest(context, { limits })
  const fetch = (path: string, changes?: Partial<EgressRequest>) => egress.fetch(get(urlOf(web.port, path), changes))
  return { ...web, egress, fetch, seen }
}

async function raw(context: TestContext, handler: (socket: Socket) => void, limits = {}) {
  const seen = await openRaw(context, handler)
  return { seen, port: seen.port, egress: egressUnderTest(context, { limits }) }
}

const drip: Handler = (_, response) => {
  const timer = setInterval(() => response.write('x'), 20)
  response.write('x')
  response.on('close', () => clearInterval(timer))
}

function urlOf(port: number, path = '/'): string {
  return `http://${NAME}:${port}${path}`
}

/** Asserts that the status arrived, and that the body did not arrive beyond the limit. */
async function assertCut(request: Promise<{ body: AsyncIterable<Uint8Array> }>, kind: FailedKind, max = Infinity) {
  const { body } = await request
  let size = 0
  const reading = async () => {
    for await (const chunk of body) size += chunk.length
  }
  await assertKind(reading(), kind)
  assert.ok(size <= max, `${size} bytes were handed on`)
}

async function assertKind(work: Promise<unknown>, kind: FailedKind): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof EgressFailed, String(error))
    assert.equal(error.kind, kind)
    return true
  })
}
