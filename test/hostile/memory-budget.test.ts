import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { COPIES_OF_BODY, MemoryBudget } from '../../src/calls/memory-budget.ts'
import { QR_CODE } from '../../src/translation/engines/fixtures/example-images.ts'
import { answer, type Behaviour, failure } from '../fakes/behaviours.ts'
import { adminClient } from '../gateway/admin-client.ts'
import { startGatewayWithFakes } from '../gateway/gateway-with-fakes.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { exchange, open, readReply, request } from '../gateway/raw-http.ts'
import { taskClient } from '../gateway/task-client.ts'
import { KB } from '../../src/base/units/units.ts'

// How the memory for requests is shared, waited for, refused and released.

const BODY_KB = 100
/** Three bodies of one owner, and a little for others. */
const CAPACITY = 4.5 * BODY_KB * KB * COPIES_OF_BODY
const POLL_MS = 5

const budget = new MemoryBudget({ capacity: CAPACITY, waitMs: 150 })
const gateway = await startGatewayWithFakes({ memory: budget })
const other = (await adminClient(gateway.gateway.adminUrl).issue({ owner: 'other' })).key
after(() => gateway.close())
beforeEach(() => gateway.reset())

test('what can never fit is 413 at once', async () => {
  const { status, body } = await chat(500)
  assert.deepEqual([status, body.error.code], [413, 'too_large'])
  await returned()
})

test('an owner that fills the memory waits, then gets 503; another owner is served meanwhile', async () => {
  const provider = holding()
  const first = [chat(BODY_KB), chat(BODY_KB), chat(BODY_KB)]
  await gateway.openai.request(2)
  const { status, body, headers } = await chat(BODY_KB)
  assert.deepEqual([status, body.error.code, headers.get('retry-after')], [503, 'overloaded', '5'])
  gateway.openai.next(answer())
  assert.equal((await chat(1)).status, 200)
  gateway.openai.next(answer())
  assert.equal((await chat(50, other)).status, 200)
  provider.letGo()
  for (const reply of first) assert.equal((await reply).status, 200)
  await returned()
})

test('an owner’s only task may hold its body and a file that fill all there is together', async () => {
  const client = taskClient(gateway.gateway.url)
  const image = Buffer.concat([await QR_CODE, Buffer.alloc(420 * KB)])
  const { file_id } = await client.store(image, 'picture.png')
  const task = JSON.stringify({ model: 'image/barcode_detection/local', input: { file: file_id } })
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const body = `${task}${' '.repeat(60 * KB)}`
  const response = await fetch(`${gateway.gateway.url}/v3/universal-ai`, { method: 'POST', headers, body })
  assert.equal(response.status, 200, await response.text())
  await returned()
})

test('a waiting request is served as soon as there is memory', async () => {
  const budget = new MemoryBudget({ capacity: 1_000 })
  const [one, two] = [budget.lease('a'), budget.lease('a')]
  const { signal } = new AbortController()
  await one.hold(900, signal)
  const waiting = two.hold(900, signal)
  one.close()
  await waiting
  assert.equal(budget.held, 900)
  two.close()
  assert.equal(budget.held, 0)
})

test('however a request ends, its memory is released', async () => {
  const broken = `{"model":"openai/x","messages":[],${' '.repeat(BODY_KB * KB)}`
  const deep = `{"model":"openai/x","unheard":${'['.repeat(90 * KB)}}`
  const ends: Record<string, () => Promise<unknown>> = {
    'a provider that fails': () => {
      gateway.openai.next(failure(500))
      return chat(BODY_KB)
    },
    'no such model': () => send(bodyOf(BODY_KB, 'unknown/x')),
    'no JSON': () => send(broken),
    'too many levels': () => send(deep),
    'a stream': async () => {
      gateway.openai.next(failure(503))
      return await send(bodyOf(BODY_KB, 'openai/x', true))
    },
    'a client that leaves half way through its body': async () => {
      const socket = open(gateway.gateway.url)
      socket.write(request('POST /v3/chat/completions', HEADERS, bodyOf(BODY_KB)).subarray(0, 50 * KB))
      await heldMoreThan(0)
      socket.destroy()
    },
    'a client that leaves while the provider thinks': async () => {
      const provider = holding()
      const socket = open(gateway.gateway.url)
      socket.write(request('POST /v3/chat/completions', HEADERS, bodyOf(BODY_KB)))
      await gateway.openai.request(gateway.openai.requests.length)
      socket.destroy()
      await once(socket, 'close')
      provider.letGo()
    },
  }
  for (const [name, end] of Object.entries(ends)) {
    await end()
    await returned().catch(() => assert.fail(`${name}: ${budget.held} bytes are still held`))
  }
})

test('a body in chunks of one byte, and without a length, is read like any other', async () => {
  const body = bodyOf(20)
  const chunks = Array.from(body, (character) => `1\r\n${character}\r\n`).join('')
  const head = ['POST /v3/chat/completions HTTP/1.1', 'Host: x', ...HEADERS, 'Transfer-Encoding: chunked'].join('\r\n')
  const reply = await exchange(gateway.gateway.url, `${head}\r\n\r\n${chunks}0\r\n\r\n`)
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(gateway.openai.requests.at(-1)!.body, { ...JSON.parse(body), model: 'x' })
  await returned()
})

test('nothing is read of a body that no route takes, or that comes without a valid key', async () => {
  const length = `Content-Length: ${20 * KB * KB}`
  const type = 'Content-Type: application/json'
  for (const [line, headers, status] of [
    ['POST /v3/chat/completions', ['Authorization: Bearer unknown'], 401],
    ['POST /nothing/here', [], 404],
    ['POST /health/live', [], 405],
  ] as const) {
    const socket = open(gateway.gateway.url)
    socket.write(`${[`${line} HTTP/1.1`, 'Host: x', type, length, ...headers].join('\r\n')}\r\n\r\n{`)
    assert.equal((await readReply(socket)).status, status, line)
  }
  assert.equal(budget.held, 0)
})

const HEADERS = [`Authorization: Bearer ${API_KEY}`, 'Content-Type: application/json']

function bodyOf(kilobytes: number, model = 'openai/x', stream = false): string {
  return JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'x'.repeat(kilobytes * KB) }] })
}

function chat(kilobytes: number, key = API_KEY) {
  return send(bodyOf(kilobytes), key)
}

async function send(body: string, key = API_KEY) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${gateway.gateway.url}/v3/chat/completions`, { method: 'POST', headers, body })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
}

/** A provider that answers on a signal from the test. Until then, calls keep their memory. */
function holding(): { letGo(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const good = answer()
  const behaviour: Behaviour = async (seen, response) => {
    await promise
    await good(seen, response)
  }
  gateway.openai.always(behaviour)
  return { letGo: resolve }
}

async function heldMoreThan(bytes: number): Promise<void> {
  while (budget.held <= bytes) await sleep(POLL_MS)
}

/** The end of a reply reaches the client before the memory is released, so this polls until the budget is free. */
async function returned(): Promise<void> {
  for (let looks = 0; budget.held > 0; looks++) {
    if (looks > 1_000) throw new Error('it was not given back')
    await sleep(POLL_MS)
  }
}
