import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import {
  answer,
  type Behaviour,
  closeBeforeHeaders,
  emptyBody,
  failure,
  hangAfterHeaders,
  html,
  rawBytes,
  redirect,
  silence,
} from './behaviours.ts'
import { endlessStream } from './endless-stream.ts'
import { SOME_USAGE, textEvents } from './openai-events.ts'
import { startFakeProvider } from './provider.ts'
import { type Chunking, stream } from './stream.ts'

const fake = await startFakeProvider()
after(() => fake.close())

beforeEach(() => fake.reset())

test('records what it was sent and answers like a provider', async () => {
  const response = await call(answer({ content: 'Hi', extra: { service_tier: 'flex' } }), { 'x-mark': 'yes' })
  const reply = (await response.json()) as { choices: [{ message: { content: string } }]; [field: string]: unknown }
  assert.equal(reply.choices[0].message.content, 'Hi')
  assert.equal(reply.service_tier, 'flex')
  assert.deepEqual(reply.usage, SOME_USAGE)
  const seen = await fake.request(0)
  assert.deepEqual([seen.method, seen.path, seen.headers['x-mark']], ['POST', '/v1/chat/completions', 'yes'])
  assert.equal(seen.text, '{"model":"m"}')
  assert.deepEqual(seen.body, { model: 'm' })
  assert.equal(await seen.closed, false)
})

test('queued behaviours come first, then the standing one; other paths are unknown', async () => {
  fake.always(failure(503))
  fake.next(failure(429, { code: 'rate_limit_exceeded' }, { 'retry-after': '1' }))
  const first = await post()
  assert.deepEqual([first.status, first.headers.get('retry-after')], [429, '1'])
  await first.body?.cancel()
  assert.deepEqual(await (await post()).json(), {
    error: { message: 'Something failed.', type: 'server_error', param: null, code: null },
  })
  const elsewhere = await fetch(`${fake.url}/models`)
  assert.equal(elsewhere.status, 404)
  await elsewhere.body?.cancel()
})

for (const chunking of ['whole', 'event', 'random', 1, 7] satisfies Chunking[]) {
  test(`streams the same text, cut by ${chunking}`, async () => {
    const events = textEvents('Grüß dich, Welt 👋')
    const text = await (await call(stream(events, { chunking }))).text()
    assert.equal(text, `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`)
  })
}

test('cutting by bytes gives pieces of that size', async () => {
  fake.next(stream(['data: héllo\n\n'], { chunking: 3, end: 'clean' }))
  const { pieces } = await postPlainly()
  assert.deepEqual(
    pieces.map(({ length }) => length),
    [3, 3, 3, 3, 2],
  )
})

for (const end of ['fin', 'rst'] as const) {
  test(`what came before ${end} arrives`, async () => {
    fake.next(stream(['data: 1\n\n', 'data: 2\n\n'], { end }))
    const { pieces, error } = await postPlainly()
    assert.equal(Buffer.concat(pieces).toString(), 'data: 1\n\ndata: 2\n\n')
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET')
  })
}

test('a stream waits at the configured place', async () => {
  const gate = Promise.withResolvers<void>()
  const response = await call(stream(['data: 1\n\n', 'data: 2\n\n'], { waitFor: gate.promise }))
  const reader = response.body!.getReader()
  assert.equal(Buffer.from((await reader.read()).value!).toString(), 'data: 1\n\n')
  gate.resolve()
  assert.equal(Buffer.from((await reader.read()).value!).toString(), 'data: 2\n\n')
  await reader.cancel()
})

const DYING: Record<string, Behaviour> = {
  'cut by FIN': stream(textEvents('half'), { end: 'fin' }),
  'cut by RST': stream(textEvents('half'), { end: 'rst' }),
  'closed before headers by FIN': closeBeforeHeaders('fin'),
  'closed before headers by RST': closeBeforeHeaders('rst'),
  'not HTTP': rawBytes('SMTP ready\r\n'),
  'fewer bytes than promised': rawBytes('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"cho'),
}

for (const [name, behaviour] of Object.entries(DYING)) {
  test(`${name}: the client gets an error and the fake does not blame it`, async () => {
    await assert.rejects(async () => (await call(behaviour)).text())
    assert.equal(await (await fake.request(0)).closed, false)
  })
}

test('a stream that ends cleanly without [DONE] is no error to HTTP', async () => {
  const text = await (await call(stream([{ a: 1 }], { end: 'clean' }))).text()
  assert.equal(text, 'data: {"a":1}\n\n')
})

test('html, empty bodies and redirects', async () => {
  const page = await call(html())
  assert.equal(page.headers.get('content-type'), 'text/html')
  assert.match(await page.text(), /^<!doctype/)
  assert.equal(await (await call(emptyBody())).text(), '')
  const moved = await call(redirect())
  assert.deepEqual([moved.status, moved.headers.get('location')], [307, '/v1/elsewhere'])
  await moved.body?.cancel()
})

for (const [name, behaviour] of Object.entries({ silence: silence(), hangAfterHeaders: hangAfterHeaders() })) {
  test(`${name} lasts until the client leaves, and the fake notices`, async () => {
    fake.next(behaviour)
    const abort = new AbortController()
    const answered = post({}, abort.signal).then((response) => response.text())
    const seen = await fake.request(0)
    abort.abort()
    await assert.rejects(answered, { name: 'AbortError' })
    assert.equal(await seen.closed, true)
  })
}

test('an endless stream stops where the reader stops', async () => {
  const endless = endlessStream()
  const response = await call(endless.behaviour)
  const stalledAt = await endless.stalled()
  assert.ok(stalledAt > 0 && endless.blocked)
  assert.equal(endless.bytesWritten, stalledAt)
  await response.body?.cancel()
  assert.equal(await (await fake.request(0)).closed, true)
})

test('counts open sockets, and closing ends them', async () => {
  const own = await startFakeProvider()
  own.always(silence())
  const outgoing = request(`${own.url}/chat/completions`, { method: 'POST', agent: false }).end()
  const failed = once(outgoing, 'error')
  const seen = await own.request(0)
  assert.equal(own.openSockets, 1)
  await own.close()
  await assert.doesNotReject(failed)
  assert.equal(own.openSockets, 0)
  assert.equal(await seen.closed, false)
})

function call(behaviour: Behaviour, headers: Record<string, string> = {}): Promise<Response> {
  fake.next(behaviour)
  return post(headers)
}

function post(headers: Record<string, string> = {}, signal: AbortSignal | null = null): Promise<Response> {
  const all = { 'content-type': 'application/json', ...headers }
  const target = `${fake.url}/chat/completions`
  return fetch(target, { method: 'POST', headers: all, body: '{"model":"m"}', redirect: 'manual', signal })
}

// fetch joins pieces and discards its buffer on an error; the plain client passes on each piece as it arrives.
async function postPlainly(): Promise<{ pieces: Buffer[]; error: unknown }> {
  const outgoing = request(`${fake.url}/chat/completions`, { method: 'POST', agent: false }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  // A reset is reported to the request as well as to the response.
  outgoing.on('error', () => {})
  const pieces: Buffer[] = []
  response.on('data', (piece: Buffer) => pieces.push(piece))
  const error = await once(response, 'end').then(
    () => null,
    (reason: unknown) => reason,
  )
  return { pieces, error }
}
