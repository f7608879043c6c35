import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { OpenAI } from 'openai'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { ASK } from '../../gateway/chat-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { gatewayForAll } from '../../gateway/gateway-with-fakes.ts'
import { LONG_MS } from '../../gateway/limited-send.ts'
import { exchangeToTheEnd, open, request } from '../../gateway/raw-http.ts'

// Some clients ignore error events. To them, only a body without an end shows that the answer is not complete.

const { gateway, openai, chat, idle } = await gatewayForAll({ cutAfterMs: 1 })
const waiting = await gatewayForAll({ cutAfterMs: LONG_MS })
const WORDS = 40
const EVENTS = textEvents('word '.repeat(WORDS))
const BROKEN = stream([...EVENTS.slice(0, WORDS), { error: { message: 'It broke.', code: 500 } }])
const HEADERS = [`Authorization: Bearer ${API_KEY}`, 'Content-Type: application/json']
const BODY = JSON.stringify({ ...ASK, stream: true })
const MESSAGES = JSON.stringify({ ...ASK, max_tokens: 9, stream: true })
const RESPONSES = JSON.stringify({ model: ASK.model, input: 'Hello', stream: true })

test('a broken chat has its error event and no last chunk, and the connection ends', async () => {
  openai.next(BROKEN)
  const { text, closed } = await exchangeToTheEnd(gateway.url, request('POST /v3/chat/completions', HEADERS, BODY))
  assert.match(text, /data: {"error":{"message":"openai\/gpt-4o-mini: It broke\."[^\n]*\n\n\r\n$/)
  assert.doesNotMatch(text, /\r\n0\r\n\r\n|\[DONE\]/)
  assert.equal(closed, true)
})

test('it ends with a FIN and not with a reset', async () => {
  openai.next(BROKEN)
  const socket = open(gateway.url)
  socket.write(request('POST /v3/chat/completions', HEADERS, BODY))
  await once(socket.resume(), 'end')
  socket.destroy()
})

test('a stream that is whole keeps its connection, and ends as always', async () => {
  openai.next(stream(EVENTS))
  assert.equal((await chat.stream(ASK)).done, 1)
})

test('in HTTP/1.0 a body has no other end than that of its connection', async () => {
  openai.next(BROKEN)
  const bytes = request('POST /v3/chat/completions', HEADERS, BODY).toString().replace('HTTP/1.1', 'HTTP/1.0')
  const { text, closed } = await exchangeToTheEnd(gateway.url, bytes)
  assert.match(text, /data: {"error":.*\n\n$/)
  assert.equal(closed, true)
})

for (const [path, body, last] of [
  ['/v3/v1/messages', MESSAGES, /event: error\ndata: [^\n]*\n\n$/],
  ['/v3/responses', RESPONSES, /event: response.failed\ndata: [^\n]*\n\n$/],
] as const)
  test(`${path}: clients understand its errors, and a broken stream ends properly`, async () => {
    openai.next(BROKEN)
    const reply = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body,
    })
    assert.match(await reply.text(), last)
  })

test('the ledger and the logs do not take the client’s close for an early one', async () => {
  openai.next(BROKEN)
  const reply = await chat.stream(ASK)
  await idle()
  const line = gateway
    .logs()
    .split('\n')
    .findLast((text) => text.includes('/v3/chat/completions'))
  assert.deepEqual([reply.errors.length, JSON.parse(line!).status, JSON.parse(line!).code], [1, 502, 'upstream_error'])
})

describe('the official client raises our error', () => {
  const reads = {
    fast: async () => {},
    // Everything has been sent before the second chunk is taken.
    slow: async (taken: number) => {
      if (taken === 1) await waiting.openai.requests[0]!.closed
    },
  }
  for (const [speed, pause] of Object.entries(reads))
    test(`and a ${speed} reader gets every word before it`, async () => {
      waiting.openai.next(BROKEN)
      const client = new OpenAI({ apiKey: API_KEY, baseURL: `${waiting.gateway.url}/v3`, maxRetries: 0 })
      const chunks = await client.chat.completions.create({ ...ASK, messages: ASK.messages as [], stream: true })
      let taken = 0
      await assert.rejects(
        async () => {
          for await (const _ of chunks) await pause(++taken)
        },
        (error) => error instanceof OpenAI.APIError && /openai\/gpt-4o-mini: It broke\./.test(error.message),
      )
      assert.equal(taken, WORDS)
      // The client closes at the error, and the gateway does not wait for the limit.
      await waiting.idle()
    })
})
