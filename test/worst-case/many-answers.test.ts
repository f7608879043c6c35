import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { GROWTH } from '../fakes/cpu.ts'
import { sample } from '../soak/sample.ts'
import { assertTurnsShort, assertUnblocked } from './drive.ts'
import { type ProbedGateway, startProbedGateway } from './probed-gateway.ts'
import { MB } from '../../src/base/units/units.ts'

// Many large answers of providers at once, whole, through every route that reads one: between two of them, and between the
// steps of one (decode, parse, convert, write), the event loop serves everything else.

const ANSWERS = sample(GROWTH, 10)
const BYTES = sample(0.5, 28) * MB
const HEAP_MB = sample(1_024, 4_096)
const SANDBOX_BYTES = sample(2, 22) * MB
/** A moderation request may have at most 16 MB. */
const MODERATED_BYTES = sample(2, 15) * MB

const TEXT = JSON.stringify('語"a'.repeat(BYTES / 6))
const VECTOR = `[${Array.from({ length: 1_000 }, (_, at) => (at / 7_919).toFixed(17)).join(',')}]`
const VECTORS = Math.floor(BYTES / VECTOR.length)
const PACKED = Buffer.from(Float32Array.from({ length: 1_000 }, (_, at) => at / 7_919).buffer).toString('base64')
const ASK = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 }
const CHAT = `{"id":"x","choices":[{"index":0,"message":{"content":${TEXT}},"finish_reason":"stop"}]}`

type Case = { path: string; body: object; answer: string; type?: string }

const CASES: Record<string, Case> = {
  'a chat': { path: '/v3/chat/completions', body: { model: 'openai/gpt-4o', ...ASK }, answer: CHAT },
  'a chat in the responses format': {
    path: '/v3/responses',
    body: { model: 'openai/gpt-4o', input: 'Hi' },
    answer: CHAT,
  },
  'a chat in the messages format': {
    path: '/v3/v1/messages',
    body: { model: 'openai/gpt-4o', ...ASK },
    answer: CHAT,
  },
  'a message of a provider that speaks the format': {
    path: '/v3/v1/messages',
    body: { model: 'anthropic/claude-sonnet-4-5', ...ASK },
    answer: `{"type":"message","content":[{"type":"text","text":${TEXT}}],"stop_reason":"end_turn"}`,
  },
  embeddings: {
    path: '/v3/embeddings',
    body: { model: 'openai/text-embedding-3-small', input: Array(VECTORS).fill('a') },
    answer: `{"data":[${Array(VECTORS).fill(`{"embedding":${VECTOR}}`).join()}]}`,
  },
  'embeddings that are wanted packed': {
    path: '/v3/embeddings',
    body: { model: 'openai/text-embedding-3-small', input: Array(VECTORS).fill('a'), encoding_format: 'base64' },
    answer: `{"data":[${Array(VECTORS).fill(`{"embedding":${VECTOR}}`).join()}]}`,
  },
  'embeddings that came packed': {
    path: '/v3/embeddings',
    body: { model: 'openai/text-embedding-3-small', input: Array(VECTORS).fill('a') },
    answer: `{"data":[${Array(VECTORS).fill(`{"embedding":"${PACKED}"}`).join()}]}`,
  },
  moderations: {
    path: '/v3/moderations',
    body: { model: 'openai/omni-moderation-latest', input: 'a' },
    answer: `{"results":[{"flagged":false,"more":${JSON.stringify('語"a'.repeat(MODERATED_BYTES / 6))}}]}`,
  },
}

let gateway: ProbedGateway
let provider: Server
let reply: Case
before(async () => {
  provider = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(reply.answer))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const openai = { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: url }
  gateway = await startProbedGateway(HEAP_MB, { ...openai, ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: url })
})
after(async () => {
  await gateway.close()
  provider.closeAllConnections()
  provider.close()
})

/** Under `npm test`, only the cases that were once found to be slow. */
const DRIVEN = Object.entries(CASES).filter((_, at) => process.env.GATEHOUSE_SOAK || at === 1 || at === 6)

for (const [name, one] of DRIVEN) {
  test(`${ANSWERS} answers at once (${name}): no turn of the loop takes longer than one of them needs`, async () => {
    reply = one
    const work = (count: number) => Promise.all(Array.from({ length: count }, () => send(one)))
    await assertTurnsShort(gateway, { measured: Buffer.from(one.answer), count: ANSWERS }, work)
  })
}

test('the sandbox, which works inside of the process, answers a large body step by step', async () => {
  const body = (share: number) => {
    const messages = [{ role: 'user', content: '語"a'.repeat((SANDBOX_BYTES / 6) * share) }]
    return Buffer.from(JSON.stringify({ model: 'sandbox/echo', messages }))
  }
  await assertUnblocked(gateway, { name: 'sandbox/echo', path: '/v3/chat/completions', body })
})

async function send({ path, body }: Case): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(300_000) }
  const response = await fetch(gateway.url + path, init)
  const text = await response.text()
  assert.equal(response.status, 200, text.slice(0, 300))
}
