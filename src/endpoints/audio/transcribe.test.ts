import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callWith } from '../../calls/attempts/fixtures/play-targets.ts'
import { SlowWork } from '../../calls/attempts/slow-work.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { fileOf } from '../../translation/tasks/http/fixtures/recording.ts'
import type { Send } from '../../translation/wire/wire.ts'
import { transcribeAsTask } from './transcribe.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'

const PROVIDER = {
  id: 'assembly',
  name: 'Assembly',
  baseUrl: 'https://provider.test',
  auth: { scheme: 'bearer' },
  address: {},
  credentials: [{ secret: 'first', weight: 1 }],
}
const TARGET = { id: 'assembly/universal', provider: PROVIDER, model: 'universal' } as unknown as ChatTarget
const FIELDS = { model: TARGET.id }
const RECORDING = fileOf('a.mp3', 'audio/mpeg', 'sound')
const BEGIN: Answer[] = [
  [200, { upload_url: 'https://u' }],
  [200, { id: 't1', status: 'queued' }],
]
const BUSY: Answer = [500, {}]
const DONE: Answer = [200, { id: 't1', status: 'completed', text: 'Hi.' }]

test('a recording that a provider already has is not sent again after failed polls', async () => {
  const { ask, requests, call } = scene([...BEGIN, ...Array(6).fill(BUSY), DONE])
  await assert.rejects(ask('first'), { kind: 'server_error' })
  assert.deepEqual(requests.slice(0, 3), ['POST /upload first', 'POST /transcript first', 'GET /transcript/t1 first'])
  assert.equal(call.spending.isKnown, false)
  requests.length = 0
  const heard = await ask('second')
  assert.deepEqual(requests, ['GET /transcript/t1 first'], 'a ticket belongs to the account that submitted the work')
  assert.ok('transcript' in heard && heard.transcript.text === 'Hi.')
})

test('a recording whose length the provider does not say is paid as an estimate', async () => {
  const { ask, call } = scene([...BEGIN, DONE])
  await ask('first')
  assert.equal(call.spending.total.estimated, true)
})

type Answer = [status: number, json: object]

/** A provider that answers as told, one answer after the other. */
function scene(answers: Answer[]) {
  const requests: string[] = []
  const call = callWith(new AbortController().signal)
  const send: Send = async ({ method, url, headers }, { report }) => {
    report!.isWritten = true
    requests.push(`${method} ${new URL(url).pathname} ${String(headers.authorization).replace('Bearer ', '')}`)
    const [status, json] = answers.shift()!
    return { status, headers: { 'content-type': 'application/json' }, body: bytesOf(JSON.stringify(json)) }
  }
  const services = {
    send,
    timeouts: { headersMs: 1_000, idleMs: 1_000 },
    now: () => 0,
    monotonic: () => 0,
    sleep: async () => {},
    loopSlot: async () => {},
  } as unknown as CallServices
  const slow = new SlowWork<unknown>()
  const ask = (secret: string) => {
    const credential = { secret, weight: 1, index: 0 }
    const about = {
      target: TARGET,
      orderedModel: TARGET,
      isLast: true,
      startedAt: 0,
      key: Symbol(),
      orders: [],
      verdict: { isGiven: false },
      call,
      services,
      credential,
    }
    const requester = { caller: call.caller, isCustomized: () => false }
    const attempt: ChatAttempt = { ...about, requester, span: { spanId: null, traceparent: null } }
    return transcribeAsTask({ fields: FIELDS, file: RECORDING }, attempt, { slow, likelyBill: () => ({ cost: 1 }) })
  }
  return { ask, requests, call }
}

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
