import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { DIALECT_NAMES } from '../../src/translation/dialects/index.ts'
import { sample } from '../soak/sample.ts'
import { assertWorkUnblocked, post, type Sized } from './drive.ts'
import { VALUES_OF_EVERY_SHAPE } from './json-shapes.ts'
import { type ProbedGateway, startProbedGateway } from './probed-gateway.ts'
import { MB } from '../../src/base/units/units.ts'

// Answers of providers, whole and streamed, in every dialect: values of every shape in the place of the text, and streams
// of the smallest possible events. The gateway has to answer, and has to serve other requests in between.

const BYTES = sample(0.125, 16) * MB
const EVERY = sample(VALUES_OF_EVERY_SHAPE.length, 1)
const HEAP_MB = sample(256, 768)

/** A model of each dialect, its answer around a value, and the same answer as events. */
const WIRES: Record<string, { model: string; whole(value: string): string; events(value: string): string }> = {
  openai: {
    model: 'openai/m',
    whole: (value) => `{"id":"x","choices":[{"index":0,"message":{"content":${value}},"finish_reason":"stop"}]}`,
    events: (value) =>
      `data: {"choices":[{"index":0,"delta":{"content":${value}},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
  },
  anthropic: {
    model: 'anthropic/m',
    whole: (value) => `{"type":"message","content":[{"type":"text","text":${value}}],"stop_reason":"end_turn"}`,
    events: (value) =>
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${value}}}\n\n`,
  },
  gemini: {
    model: 'google/m',
    whole: (value) => `{"candidates":[{"content":{"parts":[{"text":${value}}]},"finishReason":"STOP"}]}`,
    events: (value) => `data: {"candidates":[{"content":{"parts":[{"text":${value}}]},"finishReason":"STOP"}]}\n\n`,
  },
  bedrock: {
    model: 'amazon/m',
    whole: (value) => `{"output":{"message":{"content":[{"text":${value}}]}},"stopReason":"end_turn"}`,
    events: (value) => value,
  },
  cohere: {
    model: 'cohere/m',
    whole: (value) => `{"finish_reason":"COMPLETE","message":{"content":[{"type":"text","text":${value}}]}}`,
    events: (value) => `data: {"type":"content-delta","index":0,"delta":{"message":{"content":{"text":${value}}}}}\n\n`,
  },
}

/** Streams that repeat one small event. */
const SMALL_EVENTS: Record<string, string> = {
  comments: ':\n',
  'blank lines': '\n',
  'empty data': 'data:\n\n',
  'objects without anything': 'data: {}\n\n',
  'one letter each': 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
  'lines of one event': 'data: a\n',
  'names of events': 'event: x\n',
  'one line without an end': 'data: aaaaaaaa',
  nonsense: 'data: {"a\n\n',
}

let gateway: ProbedGateway
let provider: Server
let reply = { type: '', body: Buffer.alloc(0) }
before(async () => {
  provider = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', reply.type).end(reply.body))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const env: Record<string, string> = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x', BEDROCK_BASE_URL: url }
  for (const name of ['OPENAI', 'ANTHROPIC', 'GEMINI', 'COHERE']) {
    env[`${name}_API_KEY`] = 'x'
    env[`${name}_BASE_URL`] = url
  }
  gateway = await startProbedGateway(HEAP_MB, env)
})
after(async () => {
  await gateway.close()
  provider.closeAllConnections()
  provider.close()
})

let requested = 0
for (const dialect of DIALECT_NAMES) {
  test(`${dialect}: no answer, whole or streamed, stops or stalls the gateway`, async () => {
    const wire = WIRES[dialect]
    assert.ok(wire, 'This dialect needs a line in WIRES')
    for (const { name, text } of VALUES_OF_EVERY_SHAPE.filter((_, at) => (requested + at) % EVERY === 0)) {
      const value = (share: number) => text(BYTES * share, share)
      const measured = Buffer.from(value(1))
      const whole = { type: 'application/json', body: (share: number) => wire.whole(value(share)) }
      const streamed = { type: 'text/event-stream', body: (share: number) => wire.events(value(share)) }
      await answered(`whole, ${name}`, wire.model, whole, measured)
      await answered(`streamed, ${name}`, wire.model, streamed, measured)
    }
  })
}

for (const [name, piece] of Object.entries(SMALL_EVENTS)) {
  test(`a stream of ${name} neither stops nor stalls the gateway`, async () => {
    const text = (share: number) => piece.repeat((BYTES / piece.length) * share)
    const events = { type: 'text/event-stream', body: text }
    const measured = Buffer.from(JSON.stringify(text(1)))
    for (const model of ['openai/m', 'anthropic/m']) await answered(name, model, events, measured)
  })
}

test('it is still there, in the memory that is documented', () => gateway.assertBounded({ requests: 1 }))

type Reply = { type: string; body: Sized<string> }

/** Each request uses its own model name, because a target that answers nonsense is left alone after a while. */
async function answered(name: string, model: string, { type, body }: Reply, measured: Buffer): Promise<void> {
  const stream = type === 'text/event-stream'
  const asked = { stream, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }
  const send = (share: number) => {
    reply = { type, body: Buffer.from(body(share)) }
    const sent = Buffer.from(JSON.stringify({ model: `${model}${requested++}`, ...asked }))
    return post(gateway, { path: '/v3/chat/completions', body: sent })
  }
  await assertWorkUnblocked(gateway, { name: `${model}, ${name}`, measured, send })
}
