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

/** More than the loop reads at once. */
const FEW_CHARS = sample(15_000, 60_000)
/** A stretch of all that has come takes so many times as long if so many times as much comes. */
const TIMES = 8
const MAX_GROWTH = 4
/** Shorter stretches cannot be told from a few ticks of the CPU clock, or from the rest of the test. */
const LEAST_MS = 25
const fileOf = (chars: number) => Buffer.concat([png(4, 4), Buffer.alloc(chars)])

describe('chunks of one byte', () => {
  let gateway: GatewayUnderTest
  let server: Worker
  let origin: string
  before(async () => {
    server = new Worker(new URL('../../fakes/one-byte-chunks.ts', import.meta.url))
    const [port] = await once(server, 'message')
    origin = `http://127.0.0.1:${port}`
    const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: origin, ALLOW_NETWORKS: '127.0.0.0/8' }
    gateway = await startGateway({ env })
  })
  after(async () => {
    await gateway?.close()
    await server?.terminate()
  })

  test('of a whole answer', () =>
    assertStretchesBounded(async (chars) => {
      const { choices } = JSON.parse(await chat(false, chars))
      assert.equal(choices[0].message.content, 'x'.repeat(chars))
    }))

  test('of a stream', () =>
    assertStretchesBounded(async (chars) => {
      const text = await chat(true, chars)
      assert.equal(text.match(/xxx+/g)?.join('').length, chars)
      assert.ok(text.endsWith('data: [DONE]\n\n'))
    }))

  test('a stream of nonsense is aborted, and not read forever', async () => {
    const { error } = JSON.parse(await chat(true, 0, 'openai/nonsense'))
    assert.equal(error.code, 'upstream_error')
  })

  test('of a file at an address that a caller names', () =>
    assertStretchesBounded(async (chars) => {
      const request = { model: 'ocr/ocr/sandbox', input: { file: `${origin}/${chars}-chars.png` } }
      const { status, text } = await taskClient(gateway.url).run(request)
      assert.equal(status, 200, text)
    }))

  test('of a file that a caller uploads', () =>
    assertStretchesBounded(async (chars) => {
      const file = fileOf(chars)
      const { type, body } = formOf([{ name: 'file', filename: 'a.png', content: file }])
      const headers = [`Authorization: Bearer ${API_KEY}`, `Content-Type: ${type}`, 'Transfer-Encoding: chunked']
      const bytes = Buffer.concat([request('POST /v3/upload', headers), inChunks(Buffer.from(body))])
      const reply = await exchange(gateway.url, bytes)
      assert.equal(reply.status, 200, reply.body)
      const stored = await fetch(`${gateway.url}/v3/upload/${JSON.parse(reply.body).file_id}/content`, authorized())
      assert.equal(digest(Buffer.from(await stored.arrayBuffer())), digest(file))
    }))

  async function chat(stream: boolean, chars: number, model = `openai/${chars}-chars`): Promise<string> {
    const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'x' }] })
    const headers = { 'content-type': 'application/json', ...authorized().headers }
    return (await fetch(`${gateway.url}/v3/chat/completions`, { method: 'POST', headers, body })).text()
  }
})

function authorized() {
  return { headers: { authorization: `Bearer ${API_KEY}` } }
}

/** Asserts that this thread is not busy for longer without a pause if more comes, at least in one of some rounds. */
async function assertStretchesBounded(act: (chars: number) => Promise<void>): Promise<void> {
  await act(FEW_CHARS)
  const seen: string[] = []
  let few = LEAST_MS
  for (let round = 0; round < 3; round++) {
    few = Math.max(few, await stretchOf(() => act(FEW_CHARS)))
    const many = await stretchOf(() => act(TIMES * FEW_CHARS))
    if (many < MAX_GROWTH * few) return
    seen.push(`${many} ms at a stretch, and ${few} ms for an ${TIMES}th of it`)
  }
  assert.fail(seen.join('; '))
}

/** Milliseconds of CPU between two turns of the event loop, at most. */
async function stretchOf(act: () => Promise<void>): Promise<number> {
  let longest = 0
  let before = process.threadCpuUsage()
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1_000)
    before = process.threadCpuUsage()
    turning = setImmediate(turn)
  }
  let turning = setImmediate(turn)
  await act().finally(() => clearImmediate(turning))
  return longest
}

function inChunks(bytes: Buffer): Buffer {
  const chunks = Buffer.alloc(bytes.length * 6, '1\r\nx\r\n')
  for (const [index, byte] of bytes.entries()) chunks[index * 6 + 3] = byte
  return Buffer.concat([chunks, Buffer.from('0\r\n\r\n')])
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
