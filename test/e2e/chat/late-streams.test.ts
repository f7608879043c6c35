import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { RetryBudget } from '../../../src/calls/attempts/retry-budget.ts'
import { loadCatalog } from '../../../src/platform/catalog/catalog.ts'
import { newCall } from '../../../src/calls/call.ts'
import { loadConfig } from '../../../src/platform/config/config.ts'
import { findModel } from '../../../src/calls/routing/names/resolved-model.ts'
import { type ChatTarget, toTarget } from '../../../src/calls/routing/chat-targets.ts'
import { askStream } from '../../../src/calls/upstream/ask.ts'
import { lastFirstTokenMs } from '../../../src/calls/upstream/first-token-timer.ts'
import type { WireTimeouts } from '../../../src/translation/wire/wire.ts'
import { withEnoughTime } from '../../fakes/enough-time.ts'
import type { Behaviour } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { ASK, HELLO } from '../../gateway/chat-client.ts'
import { NO_CONFIG } from '../../gateway/gateway-process.ts'
import { gatewayForAll } from '../../gateway/gateway-with-fakes.ts'
import { LONG_MS, openLimitedSend } from '../../gateway/limited-send.ts'

// Providers that go on without saying anything: they stall, drip, or do not end.

const SHORT: WireTimeouts = { headersMs: LONG_MS, idleMs: 200 }
const DRIP_MS = 5
const PATIENT: WireTimeouts = { headersMs: LONG_MS, idleMs: LONG_MS }
const EVENTS = textEvents('Hi there', { usage: null })
/** Nothing here looks at what follows the finish reason. */
const AFTER_FINISH_MS = 20
const WITH_FALLBACK = { ...ASK, fallbacks: ['fake/priced'] }

const CALL = {
  id: 'req_1',
  caller: { owner: 'owner' } as never,
  endpoint: 'chat',
  startedAt: 0,
  wantsMetadata: false,
}

function attemptAt(target: ChatTarget) {
  const requester = { caller: CALL.caller, isCustomized: () => false }
  const span = { spanId: null, traceparent: null }
  const credential = { secret: 'sk-x', weight: 1, index: 0 }
  return {
    credential,
    startedAt: 0,
    orderedModel: target,
    key: Symbol(),
    orders: [],
    verdict: { isGiven: false },
    span,
    requester,
  }
}

let timeouts: WireTimeouts | undefined
const network = openLimitedSend(({ url }) => (url.startsWith(openai.url) ? timeouts : undefined))
const { chat, openai, fake, gateway } = await gatewayForAll({
  send: network.send,
  retries: new RetryBudget(),
  afterFinishMs: AFTER_FINISH_MS,
})
after(network.close)

test('a finish reason without [DONE] ends the stream, although the connection stays open', async () => {
  timeouts = undefined
  openai.next(stream(EVENTS, { end: 'clean', waitAfter: EVENTS.length, waitFor: new Promise(() => {}) }))
  const { done, errors } = await chat.stream(ASK)
  assert.deepEqual([done, errors], [1, []])
  assert.equal(await openai.requests[0]!.closed, true)
})

test('pings after a finish reason do not keep the stream open', async () => {
  timeouts = undefined
  openai.next(dripping(EVENTS, ': ping\n\n'))
  assert.equal((await chat.stream(ASK)).done, 1)
})

test('a stream that stalls fails if no other model is left: its model is not asked again', async () => {
  timeouts = SHORT
  openai.always(stream(EVENTS.slice(0, 2), { end: 'clean', waitAfter: 2, waitFor: new Promise(() => {}) }))
  const { done, errors } = await chat.stream(ASK)
  assert.deepEqual([done, errors[0]?.error.code, openai.requests.length], [0, 'upstream_timeout', 1])
})

test('a stream that breaks is still asked for once more', async () => {
  timeouts = undefined
  openai.next(stream(EVENTS.slice(0, 2), { end: 'fin' }))
  openai.next(stream(EVENTS))
  assert.deepEqual([(await chat.stream(ASK)).done, openai.requests.length], [1, 2])
})

test('if a stream drips, another model continues it', async () => {
  timeouts = SHORT
  openai.next(dripping(EVENTS.slice(0, 2), 'x'))
  fake.next(stream(EVENTS))
  const { done, chunks } = await chat.stream(WITH_FALLBACK)
  assert.deepEqual([done, chunks.at(-1)!.model], [1, 'fake/priced'])
})

test('if a whole answer drips, another model answers', async () => {
  timeouts = SHORT
  openai.next((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    drip(response, ' ')
  })
  assert.equal((await chat.whole(WITH_FALLBACK)).completion.model, 'fake/priced')
})

for (const drop of [': ping\n\n', 'data: {}\n\n', 'data: ping\n\n', 'x'.repeat(50)])
  test(`a stream that only says ${JSON.stringify(drop.slice(0, 9))} does not hide behind that from its fallback`, () =>
    withEnoughTime(100, async (limitMs) => {
      const { calls } = gateway.gateway.services
      const call = newCall({ ...CALL, signal: new AbortController().signal })
      const found = toTarget(findModel('openai/gpt-4o-mini', calls)!, calls)
      const target = { ...found, timeouts: { ...found.timeouts, idleMs: limitMs, firstTokenMs: limitMs } }
      const send: typeof calls.send = (request, options) =>
        network.send({ ...request, url: `${openai.url}/chat/completions` }, { ...options, timeouts: PATIENT })
      timeouts = undefined
      openai.next(dripping(EVENTS.slice(0, 2), drop))
      const attempt = { target, isLast: false, call, services: { ...calls, send }, ...attemptAt(target) }
      const request = { model: target.id, ...HELLO, messages: HELLO.messages as [], stream: true }
      const { events } = await askStream(attempt, { request })
      await assert.rejects(
        async () => {
          for (;;) await events.next()
        },
        { kind: 'idle_timeout' },
      )
      events.close()
    }))

describe('the first token of the last model', () => {
  const config = loadConfig({ DATA_DIR: '/nowhere', GATEHOUSE_CONFIG: NO_CONFIG, OPENAI_API_KEY: 'sk-x' })
  const known = { config, catalog: loadCatalog(config.providers), timeouts: gateway.gateway.services.calls.timeouts }
  const targetOf = (id: string) => toTarget(findModel(id, known)!, known)
  const target = targetOf('openai/gpt-4o-mini')
  const request = { model: target.id, ...HELLO, messages: HELLO.messages as [] }
  const limitOf = (more: object, files = {}) => lastFirstTokenMs(target, { request: { ...request, ...more }, ...files })

  test('has a limit if the catalog says that the model does not reason', () => {
    assert.equal(target.timeouts.lastFirstTokenMs, 60_000)
    for (const id of ['openai/gpt-5', 'openai/of-tomorrow', 'ollama/llama3', 'sandbox/echo'])
      assert.equal(targetOf(id).timeouts.lastFirstTokenMs, undefined, id)
  })

  test('has none for cheap processing, long inputs and files', () => {
    const long = [{ role: 'user', content: 'x'.repeat(400_001) }]
    assert.deepEqual([limitOf({}), limitOf({ service_tier: 'auto' })], [60_000, 60_000])
    assert.deepEqual([limitOf({ service_tier: 'flex' }), limitOf({ messages: long })], [undefined, undefined])
    assert.equal(limitOf({}, { files: {} as never }), undefined)
    const source = { text: 'x'.repeat(400_001), outline: undefined as never }
    assert.equal(lastFirstTokenMs(target, { request, source }), undefined)
  })

  test('is too late after the limit, also if comments come', async () => {
    const { calls } = gateway.gateway.services
    const { signal } = new AbortController()
    const call = newCall({ ...CALL, signal })
    const hasty = { ...target, timeouts: { ...target.timeouts, lastFirstTokenMs: 50 } }
    const send: typeof calls.send = (request, options) =>
      network.send({ ...request, url: `${openai.url}/chat/completions` }, options)
    timeouts = undefined
    // A request of an earlier test that was given up may arrive late, and must not take the place of this one.
    openai.always(dripping([], ': ping\n\n'))
    const attempt = { target: hasty, isLast: true, call, services: { ...calls, send }, ...attemptAt(hasty) }
    await assert.rejects(askStream(attempt, { request: { ...request, stream: true } }), { kind: 'first_token_timeout' })
  })
})

/** Sends the events, and then the same few bytes again and again. */
function dripping(events: readonly object[], bytes: string): Behaviour {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`)
    drip(response, bytes)
  }
}

function drip(response: Parameters<Behaviour>[1], bytes: string): void {
  const timer = setInterval(() => response.write(bytes), DRIP_MS)
  response.once('close', () => clearInterval(timer))
}
