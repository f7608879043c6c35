import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { sample } from '../soak/sample.ts'
import { type ProbedGateway, startProbedGateway } from '../worst-case/probed-gateway.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { MB } from '../../src/base/units/units.ts'

// Streams that make the gateway hold more and more: the memory is counted, and the stream ends with an error before the
// process dies. The heap is small, so that holding everything would end the process.

const HEAP_MB = 128
const LONG_MB = 150

const PIECE = `data: {"choices":[{"index":0,"delta":{"content":"${'a'.repeat(64 * 1024)}"}}]}\n\n`
const CALL = `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"${'a'.repeat(64 * 1024)}"}}]}}]}\n\n`
type LongStream = { piece: string; path: string; body: object }
const ALL_STREAMS: Record<string, LongStream> = {
  'long responses': { piece: PIECE, path: '/v3/responses', body: { input: 'Hi' } },
  'calls of tools in messages': { piece: CALL, path: '/v3/v1/messages', body: { max_tokens: 9 } },
  'long messages': { piece: PIECE, path: '/v3/v1/messages', body: { max_tokens: 9 } },
}
/** One of each format. `npm run soak` has them all. */
const STREAMS = Object.entries(ALL_STREAMS).slice(0, sample(2, 3))

let gateway: ProbedGateway
let piece = ''
const provider = createServer((request, response) => void request.resume().on('end', () => pour(response)))
before(async () => {
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  gateway = await startProbedGateway(HEAP_MB, { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: url })
})
after(async () => {
  await gateway.close()
  provider.closeAllConnections()
  provider.close()
})

for (const [name, stream] of STREAMS) {
  test(`${name}: the stream fails, the process lives`, async () => {
    piece = stream.piece
    const text = await lastWords(name, stream)
    await gateway.assertBounded({ requests: 1 })
    assert.match(text, /needs more memory|too long/)
  })
}

/** Writes as fast as the data is accepted, but not forever. It ends when the gateway disconnects. */
async function pour(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  await pipeline(Readable.from(pieces()), response).catch(() => undefined)
}

function* pieces(): Generator<string> {
  for (let sent = 0; sent < LONG_MB * MB; sent += piece.length) yield piece
}

/** The end of the answer, whether it was refused at once or failed in the stream. */
async function lastWords(name: string, { path, body }: LongStream): Promise<string> {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' }
  const request = {
    model: `openai/${name.replaceAll(' ', '-')}`,
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
  }
  const { messages, ...rest } = request
  const sent = JSON.stringify({ ...rest, ...(path.endsWith('responses') ? {} : { messages }), ...body })
  const response = await fetch(gateway.url + path, { method: 'POST', headers, body: sent })
  let last = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) last = (last + chunk).slice(-2_000)
  return last
}
