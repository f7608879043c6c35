import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type QueueLimits, SpanQueue, type SpanSource } from './span-queue.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

const LIMITS: QueueLimits = { queueSize: 10, batchSize: 4, delayMs: HOUR_MS }

/** `release` lets the sender go on; until then the collector is slow. */
function queueWith(limits: Partial<QueueLimits> = {}) {
  const sent: { body: string; count: number }[] = []
  const state = { dropped: 0, blocked: Promise.resolve() }
  const queue = new SpanQueue({
    ...LIMITS,
    ...limits,
    packing: { separator: ',', charset: 'utf8', wrap: (bytes) => Buffer.from(`[${Buffer.from(bytes)}]`) },
    dropped: (count) => {
      state.dropped += count
    },
    send: async (batch) => {
      sent.push({ body: String(batch.body), count: batch.count })
      await state.blocked
    },
  })
  return { queue, sent, state }
}

function source(name: string, spans = 1): SpanSource {
  return { spans, encode: () => Array.from({ length: spans }, (_, i) => `${name}${i}`) }
}

test('spans are encoded after the turn in which they ended, and wait until they are a batch', async () => {
  const { queue, sent } = queueWith()
  let encoded = 0
  const lazy = { spans: 1, encode: () => [`span${encoded++}`] }
  for (let i = 0; i < 3; i++) queue.add(lazy)
  assert.equal(encoded, 0)
  await new Promise((done) => setImmediate(done))
  assert.deepEqual([encoded, sent.length], [3, 0])
  queue.add(lazy)
  await new Promise((done) => setImmediate(done))
  assert.deepEqual(sent, [{ body: '[span0,span1,span2,span3]', count: 4 }])
})

test('many that end in one turn are several batches, and characters of any length stay what they are', async () => {
  const { queue, sent } = queueWith()
  for (const name of ['a', 'é', '€', '😀', 'b', 'c']) queue.add(source(name))
  await queue.flush()
  assert.deepEqual(sent, [
    { body: '[a0,é0,€0,😀0]', count: 4 },
    { body: '[b0,c0]', count: 2 },
  ])
})

test('what cannot be encoded is dropped and counted, takes no room of others, and a flush ends', async () => {
  const { queue, sent, state } = queueWith()
  const broken = () => {
    throw new Error('broken')
  }
  queue.add({ spans: 9, encode: broken })
  await queue.flush()
  queue.add(source('a', 10))
  await queue.flush()
  assert.deepEqual([sent.map(({ count }) => count), state.dropped], [[10], 9])
})

test('after the delay, fewer are sent too', async () => {
  const { queue, sent } = queueWith({ delayMs: 1 })
  queue.add(source('a', 2))
  while (sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  assert.deepEqual(sent, [{ body: '[a0,a1]', count: 2 }])
})

test('a full queue drops new spans and counts them, and no call waits', async () => {
  const { queue, sent, state } = queueWith()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.blocked = promise
  for (let i = 0; i < 30; i++) queue.add(source(`s${i}-`))
  assert.equal(state.dropped, 20)
  resolve()
  await queue.flush()
  assert.equal(
    sent.reduce((sum, { count }) => sum + count, 0),
    10,
  )
  queue.add(source('later'))
  await queue.flush()
  assert.equal(state.dropped, 20)
})

test('one request at a time: what arrives meanwhile waits for it', async () => {
  const { queue, sent, state } = queueWith()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.blocked = promise
  queue.add(source('first', 4))
  await new Promise((done) => setImmediate(done))
  queue.add(source('second', 4))
  await new Promise((done) => setImmediate(done))
  assert.equal(sent.length, 1)
  resolve()
  await queue.flush()
  assert.equal(sent.length, 2)
})
