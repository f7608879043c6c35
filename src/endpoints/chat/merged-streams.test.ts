import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatDecoder } from '../../translation/dialects/chat-codec.ts'
import type { OpenStream } from '../../calls/upstream/first-chunks.ts'
import { DIALECTS } from '../../translation/dialects/index.ts'
import { Order } from '../../calls/order.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { type WireEvent, WireFailure } from '../../translation/wire/wire.ts'
import { mergeStreams } from './merged-streams.ts'

const request = { model: 'p/m', messages: [], stream: true }
const text = (content: string) => event({ choices: [{ index: 0, delta: { content } }] })
const END = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
const USAGE = event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } })
const DONE = { data: '[DONE]' }
const PING = { data: '{"type":"ping"}' }

let now = 0

test('a stream that breaks after its own end has ended, while others go on', async () => {
  for (const harmless of [
    new WireFailure('reset'),
    new WireFailure('idle_timeout'),
    new UpstreamProblem('garbage', ''),
  ]) {
    const [one, other] = [fakeStream(), fakeStream()]
    const { events, decoder } = merged(one, other)
    one.send(text('a'), END, USAGE)
    await readBatch(events, decoder)
    one.fail(harmless)
    other.send(text('b'))
    assert.deepEqual(await readBatch(events, decoder), [[1, 'b']])
    other.send(END, DONE)
    other.end()
    await readBatch(events, decoder)
    assert.equal(await events.next(), undefined)
    assert.equal(decoder.ended, true)
  }
})

test('what breaks within an answer, or after text that followed its end, fails the whole; the others are read to their ends', async () => {
  for (const before of [[text('a')], [text('a'), END, text('more')]]) {
    const [one, other] = [fakeStream(), fakeStream()]
    const { events, decoder, orders } = merged(one, other)
    const reset = new WireFailure('reset')
    one.send(...before)
    await readBatch(events, decoder)
    one.fail(reset)
    other.send(text('b'), END)
    assert.deepEqual(await readBatch(events, decoder), [[1, 'b']])
    other.send(USAGE, DONE)
    await readBatch(events, decoder)
    await assert.rejects(events.next(), reset)
    assert.deepEqual([decoder.ended, decoder.done], [false, false])
    assert.equal(orders[1]!.own!.decoder.ended, true)
    assert.deepEqual(
      orders.map(({ own }) => own!.seen.usage?.completion_tokens),
      [undefined, 2],
    )
    assert.equal(one.isClosed, true)
  }
})

test('an error event in one stream fails the whole, and the others are read to their ends', async () => {
  const [one, other] = [fakeStream(), fakeStream()]
  const { events, decoder, orders } = merged(one, other)
  one.send(text('a'), event({ error: { message: 'boom' } }), text('never'))
  assert.deepEqual(await readBatch(events, decoder), [[0, 'a']])
  other.send(text('b'), END, USAGE, DONE)
  await readBatch(events, decoder)
  await assert.rejects(events.next(), /boom/)
  assert.deepEqual(
    orders.map(({ own }) => own!.decoder.ended),
    [false, true],
  )
})

test('a stream that ends without a reason leaves the whole without an end', async () => {
  const [one, other] = [fakeStream(), fakeStream()]
  const { events, decoder, orders } = merged(one, other)
  one.end()
  other.send(text('b'), END, DONE)
  other.end()
  await readBatch(events, decoder)
  assert.equal(await events.next(), undefined)
  assert.equal(decoder.ended, false)
  assert.deepEqual(
    orders.map(({ own }) => own!.decoder.ended),
    [false, true],
  )
})

test('nothing more is read of a stream that is done', async () => {
  const [one, other] = [fakeStream(), fakeStream()]
  const { events, decoder } = merged(one, other)
  one.send(text('a'), END, DONE)
  await readBatch(events, decoder)
  for (let at = 0; at < 5; at++) one.send(PING)
  other.send(text('b'))
  assert.deepEqual(await readBatch(events, decoder), [[1, 'b']])
  // One read looks for the end of the body.
  assert.ok(one.reads <= 2, `${one.reads} reads`)
})

test('each answer was read until its own latest words, and a ping says nothing', async () => {
  const [one, other] = [fakeStream(), fakeStream()]
  now = 1_000
  const { events, decoder, orders } = merged(one, other)
  const reading = readBatch(events, decoder)
  now = 5_000
  one.send(text('a'))
  await reading
  const pinged = readBatch(events, decoder)
  now = 9_000
  other.send(PING)
  await pinged
  assert.deepEqual(
    orders.map(({ own }) => own!.seen.seen?.until ?? 0),
    [5_000, 0],
  )
  // These words waited here for a slow reader. What the provider wrote meanwhile has not been read.
  const last = readBatch(events, decoder)
  now = 10_000
  one.send(text('b'))
  other.send(text('b'))
  await last
  now = 60_000
  await readBatch(events, decoder)
  assert.deepEqual(
    orders.map(({ own }) => own!.seen.seen?.until),
    [10_000, 10_000],
  )
})

test('an answer that began before the others was read until it began', () => {
  const streams = [fakeStream(), fakeStream()].map(({ stream }) => stream)
  const first = [{ id: 'x', object: 'chat.completion.chunk' as const, created: 1, model: 'm', choices: [] }]
  const { orders } = mergeStreams(
    [
      { stream: { ...streams[0]!, first }, begunAt: 100 },
      { stream: { ...streams[1]!, first }, begunAt: 700 },
    ],
    () => 900,
  )
  assert.deepEqual(
    orders.map(({ own }) => own!.seen.seen?.until),
    [100, 700],
  )
})

function merged(...streams: ReturnType<typeof fakeStream>[]) {
  return mergeStreams(
    streams.map(({ stream }) => ({ stream, begunAt: now })),
    () => now,
  )
}

/** The texts of the next events, each with the number of its choice. */
async function readBatch(events: OpenStream['events'], decoder: ChatDecoder) {
  const batch = (await events.next()) ?? []
  const choices = batch.flatMap((one) => decoder.feed(one)).flatMap(({ choices }) => choices)
  return choices.flatMap(({ index, delta }) => (delta?.content ? [[index, delta.content]] : []))
}

function event(value: object): WireEvent {
  return { data: JSON.stringify(value) }
}

/** A stream that a test sends events to. */
function fakeStream() {
  type Arrival = { batch?: WireEvent[] | undefined; error?: unknown }
  const arrived: Arrival[] = []
  let waiting: PromiseWithResolvers<Arrival> | undefined
  const state = { reads: 0, isClosed: false }
  const arrive = (one: Arrival) => {
    if (!waiting) return void arrived.push(one)
    waiting.resolve(one)
    waiting = undefined
  }
  const events = {
    next: async () => {
      state.reads++
      const here = arrived.shift()
      waiting = here ? undefined : Promise.withResolvers<Arrival>()
      const { batch, error } = here ?? (await waiting!.promise)
      if (error) throw error
      return batch
    },
    close: () => {
      state.isClosed = true
      arrive({})
    },
  }
  const provider = { id: 'p' }
  const order = new Order({
    model: { id: 'p/m', provider },
    attempt: Symbol('test'),
    terms: {},
    signal: new AbortController().signal,
    likelyBill: () => undefined,
  })
  const decoder = DIALECTS.openai.chat.decoder(request)
  const stream: OpenStream = { first: [], events, decoder, orders: [{ order, request }] }
  return {
    stream,
    send: (...batch: WireEvent[]) => arrive({ batch }),
    fail: (error: unknown) => arrive({ error }),
    end: () => arrive({ batch: undefined }),
    get reads() {
      return state.reads
    },
    get isClosed() {
      return state.isClosed
    },
  }
}
