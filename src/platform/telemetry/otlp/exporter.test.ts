import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Exporter } from './exporter.ts'
import { type HttpAnswer, type HttpRequest, overHttp } from './http-transport.ts'
import { JSON_FORMAT } from './json-format.ts'

const TARGET = { url: 'http://c.test/v1/traces', headers: { 'x-key': 'k' }, timeoutMs: 5 }
const BODY = Buffer.from('{}')
const FINE: Answer = { status: 200, text: '{"partialSuccess":{}}' }
type Answer = { status: number; text?: string; retryAfterSeconds?: number } | 'away'

/** An exporter whose collector gives these answers, and then is fine. Its clock moves only while it sleeps. */
function exporterWith(answers: Answer[], compression: 'gzip' | 'none' = 'gzip') {
  const seen = { requests: [] as HttpRequest[], waits: [] as number[], dropped: [] as string[], warnings: 0 }
  let now = 0
  const post = async (request: HttpRequest): Promise<HttpAnswer> => {
    seen.requests.push(request)
    const answer = answers.shift() ?? FINE
    if (answer === 'away') throw new Error('refused')
    return { retryAfterSeconds: undefined, ...answer, body: Buffer.from(answer.text ?? '') }
  }
  const exporter: Exporter = new Exporter(
    'traces',
    { transport: overHttp(TARGET, JSON_FORMAT, post), compression },
    {
      sleep: async (ms) => {
        seen.waits.push(ms)
        now += ms
      },
      random: () => 1,
      monotonic: () => now,
      dropped: (signal, reason, count) => seen.dropped.push(`${signal} ${reason} ${count}`),
      warn: () => {
        seen.warnings++
      },
    },
  )
  return { exporter, seen }
}

test('a short body goes as it is, a long one compressed', async () => {
  const { exporter, seen } = exporterWith([])
  const long = Buffer.from(JSON.stringify('x'.repeat(2_000)))
  await exporter.send({ body: BODY, count: 1 })
  await exporter.send({ body: long, count: 1 })
  const [plain, packed] = seen.requests as [HttpRequest, HttpRequest]
  assert.deepEqual([plain.body, plain.headers['content-encoding'], plain.headers['x-key']], [BODY, undefined, 'k'])
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(packed.body).toString(), long.toString())
  const { exporter: other, seen: sent } = exporterWith([], 'none')
  await other.send({ body: long, count: 1 })
  assert.equal(sent.requests[0]!.body, long)
})

test('a collector that is away or overloaded is asked again, after twice as long each time', async () => {
  const { exporter, seen } = exporterWith(['away', { status: 503 }, { status: 429 }])
  await exporter.send({ body: BODY, count: 7 })
  assert.deepEqual(seen.waits, [1_000, 2_000, 4_000])
  assert.deepEqual([seen.requests.length, seen.dropped], [4, []])
})

test('a collector that says how long to wait is obeyed', async () => {
  const { exporter, seen } = exporterWith([{ status: 429, retryAfterSeconds: 90 }])
  await exporter.send({ body: BODY, count: 1 })
  assert.deepEqual(seen.waits, [90_000])
})

test('after five tries a batch is dropped and counted', async () => {
  const { exporter, seen } = exporterWith(Array<Answer>(9).fill('away'))
  await exporter.send({ body: BODY, count: 7 })
  assert.deepEqual([seen.requests.length, seen.dropped], [5, ['traces failed 7']])
})

test('a refusal is final', async () => {
  const { exporter, seen } = exporterWith([{ status: 401 }])
  await exporter.send({ body: BODY, count: 3 })
  assert.deepEqual([seen.requests.length, seen.dropped], [1, ['traces refused 3']])
})

test('what a collector rejects of a batch is counted, and an answer in another format is not', async () => {
  const { exporter, seen } = exporterWith([
    { status: 200, text: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}' },
    { status: 200, text: '\u0000binary' },
    { status: 200, text: '{"partialSuccess":{"rejectedSpans":"0","errorMessage":"a hint"}}' },
    { status: 200, text: 'null' },
  ])
  for (let i = 0; i < 4; i++) await exporter.send({ body: BODY, count: 5 })
  assert.deepEqual(seen.dropped, ['traces rejected 2'])
})

test('a process that ends tries once more and waits for nothing', async () => {
  const { exporter, seen } = exporterWith(['away', 'away'])
  exporter.hurry()
  await exporter.send({ body: BODY, count: 4 })
  assert.deepEqual([seen.waits, seen.requests.length, seen.dropped], [[], 1, ['traces failed 4']])
})

test('the log is warned once a minute, however many batches fail', async () => {
  const { exporter, seen } = exporterWith(Array<Answer>(5).fill({ status: 400 }))
  for (let i = 0; i < 5; i++) await exporter.send({ body: BODY, count: 1 })
  assert.deepEqual([seen.dropped.length, seen.warnings], [5, 1])
})
