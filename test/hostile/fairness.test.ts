import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { capacityFor } from '../../src/base/fairness/fair-semaphore.ts'
import type { Overrides } from '../../src/server/gateway.ts'
import { PULSE_MS } from '../../src/http/health.ts'
import { answer, type Behaviour, silence } from '../fakes/behaviours.ts'
import { textEvents } from '../fakes/openai-events.ts'
import { startFakeProvider } from '../fakes/provider.ts'
import { withSharedKey } from '../fakes/signing-key.ts'
import { stream } from '../fakes/stream.ts'
import { sample } from '../soak/sample.ts'
import { adminClient } from '../gateway/admin-client.ts'
import { ASK, chatClient } from '../gateway/chat-client.ts'
import { lineWith, NO_CONFIG, PROGRAM, temporaryFolder } from '../gateway/gateway-process.ts'
import { API_KEY, startGateway } from '../gateway/gateway-under-test.ts'
import { open, readReply, request } from '../gateway/raw-http.ts'

// One owner does everything to keep the gateway busy, and another one is served as if it were alone.

/** As many as one owner may have. */
const STREAMS = sample(16, 1_024)
const FULL = { maxConnections: capacityFor(STREAMS) }

test('slow streams of one owner, more than it may have, do not hold up the stream of another', async (t) => {
  const { greedy, other, held, provider } = await startWithOwners(t, FULL)
  const leaving = new AbortController()
  const slow = Array.from({ length: STREAMS + 5 }, () => keepOpen(greedy, leaving.signal))
  while (held.open < STREAMS) await sleep(5)
  const reached = provider.requests.length
  for (let requested = 1; requested <= 5; requested++) {
    assert.match(await (await other.stream()).text(), /Hello.*\[DONE\]/s)
    assert.equal((await other.whole()).status, 200)
    assert.equal(held.open, STREAMS, 'all slow ones that may be open are, and those behind them are refused')
    const since = provider.requests.slice(reached)
    assert.equal(since.length, 2 * requested, 'only the other owner got a connection meanwhile')
    assert.ok(since.every(({ text }) => !text.includes('slow')))
  }
  leaving.abort()
  await Promise.all(slow)
})

test('without a connection left, a caller gets a 503 with Retry-After or its fallback, others are served, and the gauges tell', async (t) => {
  const { greedy, other, held, metrics } = await startWithOwners(t, { maxConnections: capacityFor(3) })
  const leaving = new AbortController()
  const slow = Array.from({ length: 3 }, () => greedy.slow(leaving.signal))
  for (const response of slow) assert.equal((await response).status, 200)
  assert.equal(held.open, 3)
  const refused = await greedy.whole()
  const { error } = (await refused.json()) as { error: { code: string; message: string } }
  assert.deepEqual([refused.status, refused.headers.get('retry-after'), error.code], [503, '1', 'overloaded'])
  assert.match(error.message, /no connection left/)
  const replaced = await greedy.whole(undefined, { fallbacks: ['sandbox/echo'] })
  assert.deepEqual([replaced.status, replaced.headers.get('x-gatehouse-provider')], [200, 'sandbox'])
  assert.equal((await other.whole()).status, 200)
  assert.match(await metrics(), /^gatehouse_upstream_connections_open\{provider="openai",process="[\w.-]+"\} 4$/m)
  assert.match(await metrics(), /^gatehouse_upstream_connections_idle\{provider="openai",process="[\w.-]+"\} 1$/m)
  assert.match(await metrics(), /^gatehouse_upstream_requests_waiting\{provider="openai",process="[\w.-]+"\} 0$/m)
  assert.match(await metrics(), /^gatehouse_circuits_open\{process="[\w.-]+"\} 0$/m)
  leaving.abort()
})

test('an owner at its limit is refused, a request without a key takes no place, and another owner has its own places', async (t) => {
  const { url, greedy, other, provider } = await startWithOwners(t, { health: { maxInFlight: 4 } })
  provider.always(silence())
  const leaving = new AbortController()
  const waiting = Array.from({ length: 3 }, () => greedy.whole(leaving.signal))
  // A body that never arrives takes a place as an answer does.
  const uploading = open(url)
  uploading.write(`${headOf('POST /v3/chat/completions', greedy.key)}Content-Length: 100\r\n\r\n{`)
  await provider.request(2)
  const strangers = Array.from({ length: 30 }, () => {
    const socket = open(url)
    socket.write(`${headOf('POST /v3/chat/completions', 'unknown')}Content-Length: 100\r\n\r\n{`)
    return readReply(socket)
  })
  assert.deepEqual(new Set((await Promise.all(strangers)).map(({ status }) => status)), new Set([401]))
  const refused = await greedy.models()
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  assert.equal((await other.models()).status, 200)
  uploading.destroy()
  leaving.abort()
  await Promise.allSettled(waiting)
  while ((await greedy.models()).status === 503) await sleep(5)
})

test('while its own work makes the loop late, the owner that causes the load is refused and others are not', async (t) => {
  const clock = { at: 0, stepMs: PULSE_MS }
  const advance = () => (clock.at += clock.stepMs)
  const health = { maxBacklogMs: 50, clock: advance, cpuTime: () => clock.at }
  const { greedy, other, provider } = await startWithOwners(t, { health })
  provider.always(silence())
  const leaving = new AbortController()
  const waiting = Array.from({ length: 20 }, () => greedy.whole(leaving.signal))
  await provider.request(19)
  assert.equal((await greedy.models()).status, 200)
  // From now on, every tick is half a second late.
  clock.stepMs += 500
  while ((await greedy.models()).status !== 503) await sleep(5)
  assert.equal((await other.models()).status, 200)
  assert.equal((await greedy.models()).status, 503)
  clock.stepMs = PULSE_MS
  while ((await greedy.models()).status !== 200) await sleep(5)
  leaving.abort()
  await Promise.allSettled(waiting)
})

test('a server that cannot accept a connection goes on', async (t) => {
  const gateway = await startGateway()
  t.after(() => gateway.close())
  const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE', syscall: 'accept' })
  for (const app of [gateway.gateway.api, gateway.gateway.admin]) app.server.emit('error', error)
  assert.equal((await fetch(`${gateway.url}/health/live`)).status, 200)
  assert.match(gateway.logs(), /ulimit -n/)
})

test('without a descriptor left, requests are refused one by one, and when there are some again all is well', async (t) => {
  const provider = await startFakeProvider()
  provider.always(silence())
  const { child, url } = await startWithFewFiles(t, provider.url)
  t.after(() => provider.close())
  const leaving = new AbortController()
  const ended: string[] = []
  const requests = Array.from({ length: 100 }, async () => ended.push(await statusOf(url, leaving.signal)))
  // Requests without an answer are at the provider, which is silent.
  while (ended.length + provider.requests.length < requests.length) await sleep(5)
  assert.ok(ended.length > 0 && ended.every((status) => ['503', 'closed'].includes(status)), ended.join())
  leaving.abort()
  await Promise.all(requests)
  provider.always(answer())
  while ((await statusOf(url)) !== '200') await sleep(10)
  assert.equal(child.exitCode, null)
})

/** Begins to answer and does not end. */
const HELD: Behaviour = stream(textEvents('Hello'), { waitFor: new Promise(() => {}), waitAfter: 2 })
const QUICK: Behaviour = (seen, response) =>
  (seen.text.includes('"stream":true') ? stream(textEvents('Hello')) : answer())(seen, response)

async function startWithOwners(t: TestContext, overrides: Overrides) {
  const provider = await startFakeProvider()
  const held = { open: 0 }
  provider.always((seen, response) => {
    if (!seen.text.includes('slow')) return QUICK(seen, response)
    held.open++
    response.once('close', () => held.open--)
    return HELD(seen, response)
  })
  const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: provider.url }
  const gateway = await startGateway({ env, overrides })
  t.after(() => provider.close().finally(() => gateway.close()))
  const { url } = gateway
  const admin = adminClient(gateway.adminUrl)
  const [greedy, other] = [await admin.issue({ owner: 'greedy' }), await admin.issue({ owner: 'other' })]
  const metrics = async () => (await fetch(`${gateway.adminUrl}/metrics`)).text()
  return { url, provider, held, metrics, greedy: ownerAt(url, greedy.key), other: ownerAt(url, other.key) }
}

function ownerAt(url: string, key: string) {
  const chat = chatClient(url)
  const headers = { authorization: `Bearer ${key}` }
  return {
    key,
    models: () => fetch(`${url}/v3/models`, { headers }),
    whole: (signal?: AbortSignal, more: object = {}) =>
      chat.post({ ...ASK, ...more }, { headers, ...(signal && { signal }) }),
    stream: () => chat.post({ ...ASK, stream: true }, { headers }),
    slow: (signal: AbortSignal) =>
      chat.post({ ...ASK, messages: [{ role: 'user', content: 'slow' }], stream: true }, { headers, signal }),
  }
}

/** A slow machine may break a stream; then another one is opened. */
async function keepOpen({ slow }: ReturnType<typeof ownerAt>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted)
    await slow(signal)
      .then((response) => response.text())
      .catch(() => '')
}

async function startWithFewFiles(t: TestContext, providerUrl: string) {
  const folder = await temporaryFolder()
  const settings = {
    ...withSharedKey(),
    DATA_DIR: folder.data,
    GATEHOUSE_API_KEY: API_KEY,
    GATEHOUSE_CONFIG: NO_CONFIG,
  }
  const provider = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: providerUrl }
  const env = { PATH: process.env.PATH, HOME: folder.path, PORT: '0', ADMIN_PORT: '0', ...settings, ...provider }
  const command = ['-c', 'ulimit -n 120; exec "$0" "$@"', process.execPath, PROGRAM, 'serve']
  const child = spawn('sh', command, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(async () => {
    child.kill('SIGKILL')
    await folder.remove()
  })
  let output = ''
  for (const text of [child.stdout, child.stderr]) text.setEncoding('utf8').on('data', (chunk) => (output += chunk))
  const { base_url } = JSON.parse(await lineWith(child, () => output, '"listening"'))
  return { child, url: base_url.replace(/\/v3$/, '') as string }
}

async function statusOf(url: string, signal?: AbortSignal): Promise<string> {
  const pending = chatClient(url).whole(ASK, signal && { signal })
  return await pending.then(
    ({ status }) => String(status),
    () => 'closed',
  )
}

function headOf(line: string, key: string): string {
  const json = 'Content-Type: application/json'
  return request(line, [`Authorization: Bearer ${key}`, json])
    .toString('latin1')
    .replace(/\r\n$/, '')
}
