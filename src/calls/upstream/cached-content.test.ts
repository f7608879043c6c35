import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallServices } from '../services/call-services.ts'
import { callWith, target as attemptTarget } from '../attempts/fixtures/play-targets.ts'
import { ContentCaches } from '../content-caches.ts'
import { type ModelUse, Reservation } from '../../money/limits/reservation.ts'
import type { ChatAttempt, ChatTarget } from '../routing/chat-targets.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { Metrics } from '../../platform/telemetry/metrics.ts'
import { type Send, WireFailure, type WireRequest } from '../../translation/wire/wire.ts'
import { sendWithCache } from './cached-content.ts'

const WIRE: WireRequest = { method: 'POST', url: 'http://127.0.0.1:9', headers: {}, body: '{}' }
const CREATED = { name: 'cachedContents/1', usageMetadata: { totalTokenCount: 1_000 } }

// A chat model may do a task: limits have admitted the task, and not the model.
const ORDERED_MODEL = { id: 'text/summarize/google', provider: { id: 'google' } }

test('a block is paid by the limits that admitted the attempt, whether it was created, may have been, or comes too late', async () => {
  for (const [what, create] of Object.entries({
    created: async () => Buffer.from(JSON.stringify(CREATED)),
    'may have been': () => Promise.reject(new WireFailure('headers_timeout')),
  })) {
    const { ask, call, uses } = scene(create)
    await ask()
    call.spending.close()
    assert.deepEqual(uses, [ORDERED_MODEL], what)
  }
  const leave = new AbortController()
  const { promise: isLet, resolve: letCreate } = Promise.withResolvers<void>()
  const { ask, call, uses, lines } = scene(async () => {
    await isLet
    return Buffer.from(JSON.stringify(CREATED))
  }, leave)
  const asked = ask()
  leave.abort(new Error('gone'))
  await assert.rejects(asked, /gone/)
  call.spending.close()
  letCreate()
  while (lines.length === 0) await new Promise(setImmediate)
  assert.deepEqual([uses, lines[0]!.model, lines[0]!.provider], [[ORDERED_MODEL], ORDERED_MODEL.id, 'google'])
})

/** What limits are asked to pay, by model and provider. */
function scene(create: () => Promise<Uint8Array>, leave = new AbortController()) {
  const call = callWith(leave.signal)
  const uses: object[] = []
  const lines: LedgerLine[] = []
  const note = ({ model: id, provider }: ModelUse) => uses.push({ id, provider: { id: provider } })
  const reservation = new Reservation({ processName: 'test', overran() {}, settled() {} })
  reservation.settle = (all) => {
    all.forEach(note)
    return null
  }
  reservation.chargesOfMore = (use) => {
    note(use)
    return []
  }
  call.spending.reserveWith(() => reservation)
  const send: Send = async (_, { report }) => {
    report!.isWritten = true
    const bytes = await create()
    return {
      status: 200,
      headers: {},
      body: (async function* () {
        yield bytes
      })(),
    }
  }
  const services: Partial<CallServices> = {
    now: () => 0,
    monotonic: () => 0,
    metrics: new Metrics(),
    send,
    contentCaches: new ContentCaches(() => 0),
    ledger: { record: (line: LedgerLine) => void lines.push(line) } as unknown as CallServices['ledger'],
  }
  const attempt: ChatAttempt = {
    target: attemptTarget('google/gemini-2.5-flash') as ChatTarget,
    orderedModel: ORDERED_MODEL,
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
  const plan = { create: WIRE, seconds: 300, using: () => '{}' }
  const answered = async () => ({ status: 200, headers: {}, body: (async function* () {})() })
  const ask = () => sendWithCache(attempt, { wire: WIRE, plan, signal: call.signal, attachments: undefined }, answered)
  return { ask, call, uses, lines }
}
