import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { png } from '../../../src/base/sniff/fixtures/small-files.ts'
import { sample } from '../../soak/sample.ts'
import { formOf } from '../../gateway/form.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { exchange, request } from '../../gateway/raw-http.ts'
import { taskClient } from '../../gateway/task-client.ts'

// Chunks of one byte, from a provider, from a URL that a caller names, and from a caller: everybody else is served
// meanwhile.

const CHARS = sample(60_000, 1_000_000)
/** CPU that this thread may use between two turns of the event loop. It was 2,700 ms; now it is 10 to 60. */
const MAX_STRETCH_MS = 400
/** Node's own parser takes 2 microseconds per chunk, and parses 64 KB of them before it waits for the reader. */
const MAX_OF_UPLOAD_MS = 800
const FILE = Buffer.concat([png(4, 4), Buffer.alloc(CHARS)])

describe('chunks of one byte', () => {
  let gateway: GatewayUnderTest
  let server: Worker
  let origin: string
  before(async () => {
    const workerData = { chars: CHARS, file: FILE }
    server = new Worker(new URL('../../fakes/one-byte-chunks.ts', import.meta.url), { workerData })
    const [port] = await once(server, 'message')
    origin = `http://127.0.0.1:${port}`
    const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: origin, ALLOW_NETWORKS: '127.0.0.0/8' }
    gateway = await startGateway({ env })
  })
  after(async () => {
    await gateway?.close()
    await server?.terminate()
  })

  test('of a whole answer', async () => {
    const { choices } = JSON.parse(await longestStretch(() => chat(false)))
    assert.equal(choices[0].message.content, 'x'.repeat(CHARS))
  })

  test('of a stream', async () => {
    const text = await longestStretch(() => chat(true))
    assert.equal(text.match(/xxx+/g)?.join('').length, CHARS)
    assert.ok(text.endsWith('data: [DONE]\n\n'))
  })

  test('a stream of nonsense is aborted, and not read forever', async () => {
    const { error } = JSON.parse(await longestStretch(() => chat(true, 'openai/nonsense')))
    assert.equal(error.code, 'upstream_error')
  })

  test('of a file at an address that a caller names', async () => {
    const client = taskClient(gateway.url)
    const request = { model: 'ocr/ocr/sandbox', input: { file: `${origin}/a.png` } }
    const { status, text } = await longestStretch(() => client.run(request))
    assert.equal(status, 200, text)
  })

  test('of a file that a caller uploads', async () => {
    const { type, body } = formOf([{ name: 'file', filename: 'a.png', content: FILE }])
    const headers = [`Authorization: Bearer ${API_KEY}`, `Content-Type: ${type}`, 'Transfer-Encoding: chunked']
    const bytes = Buffer.concat([request('POST /v3/upload', headers), inChunks(Buffer.from(body))])
    const reply = await longestStretch(() => exchange(gateway.url, bytes), MAX_OF_UPLOAD_MS)
    assert.equal(reply.status, 200, reply.body)
    const stored = await fetch(`${gateway.url}/v3/upload/${JSON.parse(reply.body).file_id}/content`, authorized())
    assert.equal(digest(Buffer.from(await stored.arrayBuffer())), digest(FILE))
  })

  async function chat(stream: boolean, model = 'openai/m'): Promise<string> {
    const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'x' }] })
    const headers = { 'content-type': 'application/json', ...authorized().headers }
    return (await fetch(`${gateway.url}/v3/chat/completions`, { method: 'POST', headers, body })).text()
  }
})

function authorized() {
  return { headers: { authorization: `Bearer ${API_KEY}` } }
}

/** Runs the action, and fails if this thread was busy without a pause for too long, three times in a row. */
async function longestStretch<Value>(act: () => Promise<Value>, maxMs = MAX_STRETCH_MS): Promise<Value> {
  const seen: number[] = []
  for (let round = 0; round < 3; round++) {
    const { value, longest } = await stretchOf(act)
    if (longest < maxMs) return value
    seen.push(longest)
  }
  assert.fail(`${seen.join(', ')} ms of CPU at a stretch`)
}

async function stretchOf<Value>(act: () => Promise<Value>): Promise<{ value: Value; longest: number }> {
  let longest = 0
  let before = process.threadCpuUsage()
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1_000)
    before = process.threadCpuUsage()
    turning = setImmediate(turn)
  }
  let turning = setImmediate(turn)
  const value = await act().finally(() => clearImmediate(turning))
  return { value, longest }
}

function inChunks(bytes: Buffer): Buffer {
  const chunks = Buffer.alloc(bytes.length * 6, '1\r\nx\r\n')
  for (const [index, byte] of bytes.entries()) chunks[index * 6 + 3] = byte
  return Buffer.concat([chunks, Buffer.from('0\r\n\r\n')])
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
