import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type RequestView, chunked, closed, plain, RawProvider } from '../fixtures/raw-provider.ts'
import { capacityFor } from '../../../base/fairness/fair-semaphore.ts'
import type { Connection } from './connection.ts'
import { Dialer } from './dialer.ts'
import { Pool, type Waiting } from './pool.ts'
import { toWireFailure } from '../wire-failures.ts'
import { parseUrl } from './request-text.ts'

/** Far longer than any of these tests takes. */
const PATIENT_MS = 120_000

test('beyond the limit requests wait, and each goes on when a connection becomes free', async (context) => {
  const { pool, provider, held } = await openPool(context, 2)
  const askers = ['/0', '/1', '/2', '/3', '/4'].map((path) => new Caller(path))
  for (const asker of askers) pool.ask(asker)
  for (let answered = 0; answered < 5; answered++) {
    const { socket, path } = await held.next()
    assert.ok(askers.filter(({ isBegun: hasBegun, isOver }) => hasBegun && !isOver).length <= 2)
    socket.write(answered % 2 ? plain(path) : chunked(path))
  }
  assert.deepEqual(await Promise.all(askers.map(({ text }) => text)), ['/0', '/1', '/2', '/3', '/4'])
  assert.equal(provider.sockets.length, 2)
})

test('counts open and idle connections and waiting requests', async (context) => {
  const { pool, held } = await openPool(context, 1)
  const [first, second] = [new Caller('/first'), new Caller('/second')]
  pool.ask(first)
  pool.ask(second)
  assert.deepEqual(pool.counts, { open: 1, idle: 0, waiting: 1 })
  for (const asker of [first, second]) {
    const { socket, path } = await held.next()
    socket.write(plain(path))
    await asker.text
  }
  assert.deepEqual(pool.counts, { open: 1, idle: 1, waiting: 0 })
})

test('a request that gets no connection in time is refused, and the next one is served as if it had not been there', async (context) => {
  const { pool, held } = await openPool(context, 1, 0, 1)
  const [first, late, next] = [new Caller('/first'), new Caller('/late'), new Caller('/next')]
  pool.ask(first)
  pool.ask(late)
  await assert.rejects(late.text, (error: Error) => toWireFailure(error).kind === 'exhausted')
  assert.equal(pool.counts.waiting, 0)
  const { socket } = await held.next()
  socket.write(plain('first'))
  assert.equal(await first.text, 'first')
  pool.ask(next)
  const { socket: again, path } = await held.next()
  again.write(plain(path))
  assert.equal(await next.text, '/next')
})

test('if a connection dies, a waiting request gets a new one', async (context) => {
  const { pool, provider, held } = await openPool(context, 1)
  const [first, second] = [new Caller('/first'), new Caller('/second')]
  pool.ask(first)
  pool.ask(second)
  ;(await held.next()).socket.destroy()
  await assert.rejects(first.text)
  const { socket, path } = await held.next()
  socket.write(plain(path))
  assert.equal(await second.text, '/second')
  assert.equal(provider.sockets.length, 2)
})

test('if no connection can be opened, every waiting request fails', async (context) => {
  const { pool, provider } = await openPool(context, 1)
  await provider.stop()
  const askers = ['/0', '/1', '/2'].map((path) => new Caller(path))
  for (const asker of askers) pool.ask(asker)
  for (const { text } of askers) await assert.rejects(text, { code: 'ECONNREFUSED' })
  assert.equal(pool.isUnused, true)
})

test('a request that is aborted while waiting is skipped', async (context) => {
  const { pool, held } = await openPool(context, 1)
  const [first, second, third] = [new Caller('/first'), new Caller('/second'), new Caller('/third')]
  for (const asker of [first, second, third]) pool.ask(asker)
  second.leave()
  for (const asker of [first, third]) {
    const { socket, path } = await held.next()
    socket.write(plain(path))
    assert.equal(await asker.text, path)
  }
})

test('an aborted request passes its reserved connection on to a waiting one', async (context) => {
  const { pool, held } = await openPool(context, 1)
  const [first, second, third] = [new Caller('/first'), new Caller('/second'), new Caller('/third')]
  for (const asker of [first, second, third]) pool.ask(asker)
  first.onEnd = () => setImmediate(() => second.leave())
  for (const asker of [first, third]) {
    const { socket, path } = await held.next()
    socket.write(plain(path))
    assert.equal(await asker.text, path)
  }
})

test('a request that is aborted while connecting passes the connection on to the next', async (context) => {
  const { pool, provider, held } = await openPool(context, 1)
  const [first, second] = [new Caller('/first'), new Caller('/second')]
  pool.ask(first)
  pool.ask(second)
  first.leave()
  const { socket, path } = await held.next()
  socket.write(plain(path))
  assert.equal(await second.text, '/second')
  assert.equal(provider.sockets.length, 1)
})

test('closing fails all requests: waiting, reserved, and late ones', async (context) => {
  const { pool, provider, held } = await openPool(context, 1)
  const warm = new Caller('/warm')
  pool.ask(warm)
  ;(await held.next()).socket.write(plain(''))
  await warm.text
  const reserved = new Caller('/reserved')
  const waiting = new Caller('/waiting')
  pool.ask(reserved)
  pool.ask(waiting)
  await new Promise<void>((resolve) => setImmediate(resolve))
  const next = new Caller('/next')
  pool.ask(next)
  pool.close()
  const late = new Caller('/late')
  pool.ask(late)
  for (const { text } of [reserved, waiting, next, late]) await assert.rejects(text, { kind: 'reset' })
  await closed(provider.sockets[0])
  assert.deepEqual([pool.isUnused, provider.sockets.length], [true, 1])
})

test('a connection that has just answered is left alone while another can be had, and used where none can', async (context) => {
  const { pool, provider, held } = await openPool(context, 1, Number.POSITIVE_INFINITY)
  for (const [path, connection] of [
    ['/first', 0],
    ['/second', 1],
    ['/third', 0],
    ['/fourth', 1],
  ] as const) {
    const asker = new Caller(path)
    pool.ask(asker)
    const fields = await held.next()
    assert.deepEqual([fields.path, fields.connection], [path, connection])
    fields.socket.write(plain(path))
    assert.equal(await asker.text, path)
  }
  assert.equal(provider.sockets.length, 2)
})

test('of those that were quiet for long enough the last one is used', async (context) => {
  let now = 1_000
  context.mock.method(performance, 'now', () => now)
  const { pool, held } = await openPool(context, 10, 50)
  const used: number[] = []
  for (const passedMs of [0, 49, 1, 10, 60, 60]) {
    now += passedMs
    const asker = new Caller('/')
    pool.ask(asker)
    const { socket, connection } = await held.next()
    used.push(connection)
    socket.write(plain(''))
    await asker.text
  }
  assert.deepEqual(used, [0, 1, 0, 2, 2, 2])
})

test('an owner with every connection it may have does not keep another one out', async (context) => {
  const { pool, held } = await openPool(context, 3)
  const slow = ['/0', '/1', '/2', '/3', '/4'].map((path) => new Caller(path, 'slow'))
  for (const asker of slow) pool.ask(asker)
  for (let open = 0; open < 3; open++) await held.next()
  const other = new Caller('/other', 'other')
  pool.ask(other)
  const { socket, path } = await held.next()
  socket.write(plain(path))
  assert.equal(await other.text, '/other')
  assert.deepEqual(
    slow.map(({ isBegun, isOver }) => [isBegun, isOver]),
    [...Array(3).fill([true, false]), ...Array(2).fill([false, false])],
  )
})

test('connections that are being opened for an aborted request still count for its owner', async (context) => {
  const { pool, held } = await openPool(context, 3)
  for (let left = 0; left < 50; left++) {
    const asker = new Caller('/left', 'leaving')
    pool.ask(asker)
    asker.leave()
  }
  const other = new Caller('/other', 'other')
  pool.ask(other)
  assert.equal(other.isBegun, true)
  const { socket, path } = await held.next()
  socket.write(plain(path))
  assert.equal(await other.text, '/other')
})

async function openPool(context: TestContext, limit: number, quietMs = 0, waitMs = PATIENT_MS) {
  const held = new Held()
  const provider = new RawProvider((fields) => held.add(fields))
  await provider.listen()
  const pool = new Pool(new Dialer(parseUrl(`http://127.0.0.1:${provider.port}/`), {}), {
    maxConnections: capacityFor(limit),
    quietMs,
    waitMs,
  })
  context.after(async () => {
    pool.close()
    await provider.stop()
  })
  return { pool, provider, held }
}

/** Requests that arrived and are not answered yet. */
class Held {
  readonly #requests: RequestView[] = []
  #wake = () => {}

  add(fields: RequestView): void {
    this.#requests.push(fields)
    this.#wake()
  }

  async next(): Promise<RequestView> {
    while (this.#requests.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.#requests.shift()!
  }
}

class Caller implements Waiting {
  readonly timeouts = { headersMs: PATIENT_MS, idleMs: PATIENT_MS }
  readonly owner: string
  readonly request
  readonly #leaving = new AbortController()
  readonly #reported = Promise.withResolvers<string>()
  #connection: Connection | undefined
  #text = ''
  isOver = false
  onEnd = () => {}

  constructor(path: string, owner = 'owner') {
    this.owner = owner
    this.request = { head: `GET ${path} HTTP/1.1\r\n\r\n`, body: null }
    this.text.catch(() => {})
  }

  get text(): Promise<string> {
    return this.#reported.promise
  }

  get signal(): AbortSignal {
    return this.#leaving.signal
  }

  get isBegun(): boolean {
    return this.#connection !== undefined
  }

  began(connection: Connection): void {
    this.#connection = connection
  }

  written(): void {}

  head(): void {}

  data(lent: Buffer): void {
    this.#text += lent.toString()
  }

  end(): void {
    this.isOver = true
    this.#reported.resolve(this.#text)
    this.onEnd()
  }

  fail(failure: Error): void {
    this.isOver = true
    this.#reported.reject(failure)
  }

  leave(): void {
    this.isOver = true
    this.#leaving.abort()
    this.#connection?.leave(this)
  }
}
