import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { SeenRequest } from '../fakes/provider.ts'
import { endlessStream } from '../fakes/endless-stream.ts'
import { answer, type Behaviour } from '../fakes/behaviours.ts'
import { textEvents } from '../fakes/openai-events.ts'
import { stream } from '../fakes/stream.ts'
import { ASK, readStream } from './chat-client.ts'
import { API_KEY } from './gateway-under-test.ts'
import { startGatewayWithFakes } from './gateway-with-fakes.ts'

// Many at once, slow ones, and ones that come and go.

const house = await startGatewayWithFakes()
const { chat, openai, gateway } = house
after(() => house.close())
beforeEach(() => house.reset())

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const MEGABYTE = 1024 * 1024
const SLOW_READERS = 4
/** What the kernel may hold on the two connections of a stream, and the little that is ours. */
const MOST_BYTES_PER_STREAM = 24 * MEGABYTE
const MOST_OWN_BYTES_PER_STREAM = 2 * MEGABYTE
const NONCES = 200
const CYCLES = 300
const AT_ONCE = 50
const FEW_SOCKETS = AT_ONCE

test('slow readers hold their providers back, our memory does not grow, and who leaves unread is noticed', async () => {
  // The first round warms up what is made once and kept.
  await holdBack(1)
  const before = ownMemory()
  const grown = (await holdBack(SLOW_READERS)) - before
  assert.ok(grown < SLOW_READERS * MOST_OWN_BYTES_PER_STREAM, `${grown} bytes more in memory`)
  for (const { closed } of openai.requests) assert.equal(await closed, true)
})

/** Opens streams that nobody reads; the memory in use when all of them stand still. */
async function holdBack(count: number): Promise<number> {
  const streams = Array.from({ length: count }, () => endlessStream())
  for (const { behaviour } of streams) openai.next(behaviour)
  const readers = await Promise.all(streams.map(() => openUnread()))
  const written = await Promise.all(streams.map((endless) => endless.stalled()))
  const memory = ownMemory()
  for (const reader of readers) reader.destroy()
  for (const bytes of written) assert.ok(bytes < MOST_BYTES_PER_STREAM, `${bytes} bytes were taken from the provider`)
  return memory
}

test('a reader that was slow and then reads gets everything, in order', async () => {
  const events = textEvents(Array.from({ length: 3_000 }, (_, index) => `${index}-${'x'.repeat(1_000)}`).join(' '))
  openai.next(stream(events, { chunking: 'whole' }))
  const reader = await openUnread()
  await new Promise((resolve) => setImmediate(resolve))
  let text = ''
  for await (const bytes of reader.setEncoding('utf8')) text += bytes
  const { chunks, done } = readStream(text)
  const numbers = chunks.map(({ choices }) => choices[0]?.delta.content?.trim().split('-')[0]).filter(Boolean)
  assert.deepEqual(
    numbers,
    Array.from({ length: 3_000 }, (_, index) => String(index)),
  )
  assert.equal(done, 1)
})

test(`${NONCES} streams with a word of their own, half of them left early: nobody hears another's word`, async () => {
  openai.always(sayNonce())
  const nonces = Array.from({ length: NONCES }, (_, index) => `nonce${index}end`)
  for (let at = 0; at < NONCES; at += AT_ONCE) await Promise.all(nonces.slice(at, at + AT_ONCE).map(hearOnly))
  const whole = await Promise.all(nonces.slice(0, AT_ONCE).map((nonce) => chat.whole({ ...ASK, user: nonce })))
  for (const [index, { completion }] of whole.entries()) {
    assert.equal(completion.choices[0]?.message.content, nonces[index])
  }
})

test(`after ${CYCLES} streams that were opened and left, the provider has few sockets open`, async () => {
  openai.always(stream(textEvents('a few words'), { waitFor: new Promise(() => {}), waitAfter: 3 }))
  for (let at = 0; at < CYCLES; at += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, () => openAndLeave()))
  for (const { closed } of openai.requests) assert.equal(await closed, true)
  assert.equal(openai.requests.length, CYCLES)
  openai.always(answer())
  assert.equal((await chat.whole(ASK)).status, 200)
  assert.ok(openai.openSockets <= FEW_SOCKETS, `${openai.openSockets} sockets are open`)
  await house.idle()
})

/** A stream whose body is not read until somebody does. */
function openUnread(): Promise<import('node:http').IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` }
    const options = { method: 'POST', headers, agent: new Agent() }
    const asking = request(`${gateway.url}/v3/chat/completions`, options, (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`the gateway answered ${response.statusCode}`))
    })
    asking.on('error', reject).end(JSON.stringify({ ...ASK, stream: true }))
  })
}

/** What is really held, by the whole process: the fake and the clients are in it too, so the gateway's share is less. */
function ownMemory(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Says the caller's `user` ten times over, or once as a whole answer. */
function sayNonce(): Behaviour {
  return (seen: SeenRequest, response) => {
    const { user, stream: streamed } = seen.body as { user: string; stream?: boolean }
    const behaviour = streamed ? stream(textEvents(`${user} `.repeat(10))) : answer({ content: user })
    return behaviour(seen, response)
  }
}

async function hearOnly(nonce: string, index: number): Promise<void> {
  const leave = new AbortController()
  const response = await chat.post({ ...ASK, user: nonce, stream: true }, { signal: leave.signal })
  const enough = index % 2 === 0 ? Number.POSITIVE_INFINITY : Math.floor(Math.random() * 3_000)
  let text = ''
  for await (const bytes of response.body!) {
    text += Buffer.from(bytes).toString()
    if (text.length > enough) break
  }
  leave.abort()
  for (const [heard] of text.matchAll(/nonce\d+end/g)) assert.equal(heard, nonce)
  if (enough === Number.POSITIVE_INFINITY) assert.equal(text.match(/nonce\d+end/g)?.length, 10)
}

async function openAndLeave(): Promise<void> {
  const leave = new AbortController()
  const response = await chat.post({ ...ASK, stream: true }, { signal: leave.signal })
  await response.body!.getReader().read()
  leave.abort()
}
