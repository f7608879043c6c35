import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Health } from '../../../src/http/health.ts'
import { openDatabase } from '../../../src/platform/store/open-database.ts'
import { answer } from '../../fakes/behaviours.ts'
import { endlessStream } from '../../fakes/endless-stream.ts'
import { paced } from '../../fakes/paced.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { readStream, textUntilError } from '../../gateway/chat-client.ts'
import { lineWith, startProcess, temporaryFolder } from '../../gateway/gateway-process.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { open, request as rawRequest } from '../../gateway/raw-http.ts'

const STREAMS = 20
const WHOLES = 10
const TIMEOUT_MS = 200_000
const POLL_MS = 10
const ASK = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'x' }] }

describe('a process that is told to stop', () => {
  test('finishes what it has begun, takes nothing new, and writes down all of it', async () => {
    const { provider, gateway, folder } = await startWithProvider()
    const { promise: go, resolve: release } = Promise.withResolvers<void>()
    provider.always(paced(go))
    const agent = new Agent({ keepAlive: true })
    const streams = await Promise.all(Array.from({ length: STREAMS }, () => ask(gateway.url, agent, { stream: true })))
    const wholes = Array.from({ length: WHOLES }, () => ask(gateway.url, agent, {}))
    await provider.request(STREAMS + WHOLES - 1)
    // Two signals at once, as Ctrl-C reaches a process that npm has started, are one request.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) gateway.child.kill(signal)
    await lineWith(gateway.child, gateway.output, '"draining"')
    const ready = await fetch(`${gateway.adminUrl}/health/ready`)
    assert.deepEqual([ready.status, await ready.json()], [503, { status: 'draining' }])
    assert.equal((await fetch(`${gateway.adminUrl}/health/live`)).status, 200)
    await assert.rejects(connectTo(gateway.url), { code: 'ECONNREFUSED' })
    release()
    for (const response of streams) {
      const { chunks, done, errors } = readStream(await text(response))
      assert.deepEqual([done, errors], [1, []])
      assert.equal(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join(''), 'One two three')
    }
    for (const response of await Promise.all(wholes)) {
      assert.deepEqual([response.statusCode, response.headers.connection], [200, 'close'])
      assert.equal(JSON.parse(await text(response)).choices[0].message.content, 'Hello.')
    }
    // The client keeps its connections open: an idle client must not keep the gateway from stopping.
    assert.deepEqual(await gateway.ended, { code: 0, signal: null })
    agent.destroy()
    assert.deepEqual(await usageIn(folder.data), [
      { stream: 0, status: 200, rows: WHOLES, tokens: WHOLES * 21 },
      { stream: 1, status: 200, rows: STREAMS, tokens: STREAMS * 21 },
    ])
  })

  for (const WORKERS of ['1', '2']) {
    test(`says so and goes on accepting for the delay; a second signal ends it at once (${WORKERS} workers)`, async () => {
      const { provider, gateway } = await startWithProvider({ WORKERS, DRAIN_DELAY_SECONDS: '600' })
      provider.always(paced(new Promise(() => {})))
      const response = await ask(gateway.url, new Agent(), { stream: true })
      response.on('error', () => {})
      gateway.child.kill('SIGTERM')
      await Promise.all([gateway.url, gateway.adminUrl].map(untilNotReady))
      provider.always(answer())
      const accepted = await ask(gateway.url, new Agent(), {})
      assert.deepEqual(
        [accepted.statusCode, accepted.headers.connection],
        [200, 'close'],
        'the agent keeps no connection',
      )
      const kept = await ask(gateway.url, new Agent({ keepAlive: true, maxSockets: 1 }), {})
      assert.deepEqual([kept.statusCode, kept.headers.connection], [200, 'keep-alive'])
      const repeatedSignals = setInterval(() => gateway.child.kill('SIGTERM'), 100)
      const { code } = await gateway.ended
      clearInterval(repeatedSignals)
      assert.equal(code, 1)
      // The workers notice that their primary process has ended.
      await untilRefused(gateway.url)
    })
  }

  test('after the delay, a connection that was kept open still gets one answer', async () => {
    const { provider, gateway } = await startWithProvider({ DRAIN_DELAY_SECONDS: '0.3' })
    const { promise: go, resolve: release } = Promise.withResolvers<void>()
    provider.always(answer())
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    assert.equal(JSON.parse(await text(await ask(gateway.url, agent, {}))).choices.length, 1)
    provider.always(paced(go))
    const running = await ask(gateway.url, new Agent(), { stream: true })
    gateway.child.kill('SIGTERM')
    await untilRefused(gateway.url)
    provider.always(answer())
    const last = await ask(gateway.url, agent, {})
    assert.deepEqual([last.statusCode, last.headers.connection], [200, 'close'])
    assert.equal(JSON.parse(await text(last)).choices.length, 1)
    release()
    assert.deepEqual(readStream(await text(running)).done, 1)
    assert.deepEqual(await gateway.ended, { code: 0, signal: null })
  })

  async function startWithProvider(env: Record<string, string> = {}) {
    const provider = await startFakeProvider()
    const folder = await temporaryFolder()
    const gateway = await startProcess({
      DATA_DIR: folder.data,
      GATEHOUSE_API_KEY: API_KEY,
      GATEHOUSE_ADMIN_KEY: 'admin',
      OPENAI_API_KEY: 'sk-x',
      OPENAI_BASE_URL: provider.url,
      ...env,
    })
    after(async () => {
      gateway.child.kill('SIGKILL')
      await provider.close()
      await folder.remove()
    })
    return { provider, gateway, folder }
  }
})

describe('a gateway at the end of its grace', { concurrency: true }, () => {
  test('tells the streams that are not through, without [DONE], and counts what they got', async () => {
    const { gateway, provider, close } = await startWithGrace(100)
    provider.always(paced(new Promise(() => {})))
    const response = await ask(gateway.url, new Agent(), { stream: true })
    const whole = ask(gateway.url, new Agent(), {})
    await provider.request(1)
    const closed = close()
    const { done, errors, chunks } = readStream(await textUntilError(response))
    assert.ok(chunks.length > 0)
    assert.deepEqual([done, errors.map(({ error }) => error.code)], [0, ['overloaded']])
    assert.match(errors[0]!.error.message, /shutting down/)
    assert.equal((await whole).statusCode, 503)
    await closed
    assert.match(gateway.logs(), /"status":503,.*"stream":true.*"code":"overloaded"/)
  })

  for (const [name, bytes] of Object.entries({
    'says nothing': '',
    'stops in its headers': 'GET /v3/models HTTP/1.1\r\nHost:',
    'stops in its body': rawRequest(
      'POST /v3/chat/completions',
      [...headersOf(API_KEY), 'Content-Length: 99'],
      '',
    ).toString(),
  })) {
    test(`is not held by a client that ${name}`, { timeout: TIMEOUT_MS }, async () => {
      const { gateway, close } = await startWithGrace(100)
      const socket = open(gateway.url)
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.write(bytes)
      // After a complete exchange on another connection, the server has read those bytes too.
      assert.equal((await fetch(`${gateway.url}/health/live`)).status, 200)
      const hungUp = once(socket, 'close')
      await Promise.all([close(), hungUp])
    })
  }

  test('is not held by a client that does not read', { timeout: TIMEOUT_MS }, async () => {
    const { gateway, provider, close } = await startWithGrace(100)
    const endless = endlessStream()
    provider.always(endless.behaviour)
    const socket = open(gateway.url).pause()
    const body = JSON.stringify({ ...ASK, stream: true })
    socket.write(rawRequest('POST /v3/chat/completions', headersOf(API_KEY), body))
    await endless.stalled()
    await close()
    // What the server has already sent can still be read; then the connection ends.
    await once(socket.resume(), 'close')
  })

  test('says that it leaves before it waits for anything, such as a store that does not answer', async (t) => {
    const { close } = await startWithGrace(100)
    const leave = t.mock.method(Health.prototype, 'leave')
    const closed = close()
    assert.equal(leave.mock.callCount(), 1)
    leave.mock.restore()
    await closed
  })

  async function startWithGrace(graceMs: number) {
    const provider = await startFakeProvider()
    const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url }
    const gateway = await startGateway({ env, overrides: { drainMs: graceMs } })
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= gateway.close()
      return closing
    }
    // For a test that fails before it closes the gateway itself.
    after(() => Promise.all([provider.close(), close()]))
    return { provider, gateway, close }
  }
})

/** Resolves with the response once its first bytes are there. */
function ask(url: string, agent: Agent, body: object): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
    const asking = request(`${url}/v3/chat/completions`, { method: 'POST', agent, headers }, resolve)
    asking.once('error', reject)
    asking.end(JSON.stringify({ ...ASK, ...body }))
  })
}

function connectTo(url: string): Promise<unknown> {
  return new Promise((resolve, reject) =>
    get(`${url}/health/live`, { agent: new Agent() }, resolve).once('error', reject),
  )
}

/** The other connections of a gateway show how far its end is. */
async function untilRefused(url: string): Promise<void> {
  while (await connectTo(url).then(hangUp, () => false)) await sleep(POLL_MS)
}

function hangUp(response: unknown): true {
  ;(response as IncomingMessage).destroy()
  return true
}

/** Workers hear of the signal one after the other, so several answers in a row have to say it. */
async function untilNotReady(url: string): Promise<void> {
  for (let inARow = 0; inARow < 4; ) {
    const { status } = await fetch(`${url}/health/ready`, { headers: { connection: 'close' } })
    inARow = status === 503 ? inARow + 1 : 0
    await sleep(POLL_MS)
  }
}

function headersOf(key: string): string[] {
  return [`Authorization: Bearer ${key}`, 'Content-Type: application/json']
}

async function usageIn(dataDir: string): Promise<object[]> {
  const db = await openDatabase({ dataDir })
  const rows = await db.query<object>(
    `SELECT stream, status, COUNT(*) AS rows, SUM(prompt_tokens + completion_tokens) AS tokens
     FROM usage GROUP BY stream, status ORDER BY stream`,
  )
  await db.close()
  return rows.map((row) => ({ ...row }))
}
