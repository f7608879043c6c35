import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallServices } from '../../calls/services/call-services.ts'
import { openOrder } from '../../calls/attempts/attempt.ts'
import { Circuits } from '../../calls/attempts/circuits.ts'
import { target as attemptTarget } from '../../calls/attempts/fixtures/play-targets.ts'
import { Observations } from '../../calls/attempts/observations.ts'
import { Metrics } from '../../platform/telemetry/metrics.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { streamOfWhole } from '../../calls/upstream/stream-of-whole.ts'
import { ask, callOf, completion } from './fixtures/hooked-chat.ts'
import { Relay } from './relay.ts'

const BUG = new TypeError('a fault of ours')

test('a stream that cannot be billed ends its call all the same, as failed', async () => {
  const call = callOf()
  const services: Partial<CallServices> = {
    now: () => 0,
    monotonic: () => 0,
    metrics: new Metrics(),
    observations: new Observations(() => 0),
    circuits: new Circuits(() => 0),
    get catalog() {
      return assert.fail(BUG)
    },
  }
  const target = attemptTarget('openai/gpt-5') as ChatTarget
  const attempt: ChatAttempt = {
    target,
    orderedModel: target,
    call,
    services: services as CallServices,
    key: Symbol(),
    orders: [],
    verdict: { isGiven: false },
    isLast: true,
    startedAt: 0,
    credential: { index: 0, weight: 1, secret: 's' },
    requester: { caller: call.caller, isCustomized: () => false },
    span: { spanId: null, traceparent: null },
  }
  const request = ask({})
  const order = openOrder(attempt, () => ({ cost: 1 }))
  order.report.isWritten = true
  const ends: unknown[] = []
  const ending = {
    fail: (error: unknown) => {
      ends.push(error)
      return error
    },
    close: () => void ends.push('closed'),
  }
  const stream = streamOfWhole(completion('Hello'), [{ order, request }])
  const relay = new Relay({ opened: { attempt, stream, remaining: [] }, input: { request }, hooks: undefined, ending })
  await assert.rejects(async () => {
    while (await relay.next());
  }, BUG)
  assert.equal(ends[0], BUG)
})
