import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AzureOpenAI, OpenAI } from 'openai'
import type { RequestList } from '../../../src/contract/admin/requests.ts'
import { png } from '../../../src/base/sniff/fixtures/small-files.ts'
import { events, imageEvents, json, nothing, PNG_IMAGE, type SeenImageRequest, USAGE } from '../../fakes/images.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { collect } from '../../gateway/collect.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { imagesGateway } from './images-gateway.ts'

const setup = await imagesGateway()
const { gateway, fake, generate } = setup
const client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
const admin = adminClient(gateway.adminUrl)

const GPT = { model: 'openai/gpt-image-2', prompt: 'a gate' }
const B64 = PNG_IMAGE.toString('base64')
/** 10 × 5 + 40 × 8 + 1000 × 30 millionths. */
const COST = 0.03037
const METADATA = { headers: { 'x-gatehouse-metadata': 'enabled' } }

type Sent = { type?: string; b64_json?: string | null; cost?: number | null; usage?: object; error?: { code: string } }

test('the openai package gets partial images and the image, as its provider sends them, and the cost', async () => {
  const stream = await client.images.generate({ ...GPT, stream: true, partial_images: 2 })
  const all = await collect(stream)
  const about = { created_at: 1_700_000_000, size: '64x32', quality: 'low', background: 'opaque', output_format: 'png' }
  const partial = { type: 'image_generation.partial_image', b64_json: B64, ...about }
  const last = { type: 'image_generation.completed', b64_json: B64, ...about, usage: USAGE }
  assert.deepEqual(all, [
    { ...partial, partial_image_index: 0 },
    { ...partial, partial_image_index: 1 },
    { ...last, cost: COST, provider: 'openai' },
  ])
  const { stream: sent, partial_images } = JSON.parse(String(fake.requests[0]!.bytes))
  assert.deepEqual([sent, partial_images], [true, 2])
  const line = await lastLine()
  assert.deepEqual([line.status, line.cost, line.estimated, line.stream], [200, COST, false, true])
})

test('an edit of the openai package, as a form, is a stream of its own events', async () => {
  const image = new File([new Uint8Array(PNG_IMAGE)], 'a.png', { type: 'image/png' })
  const stream = await client.images.edit({ ...GPT, image, stream: true, partial_images: 1 })
  const types = (await collect(stream)).map(({ type }) => type)
  assert.deepEqual(types, ['image_edit.partial_image', 'image_edit.completed'])
})

test('the package for Azure streams from the deployment in its path', async () => {
  const azure = new AzureOpenAI({ apiKey: API_KEY, endpoint: gateway.url, apiVersion: '2025-04-01-preview' })
  const stream = await azure.images.generate({ model: 'gpt-image-2', prompt: 'a gate', stream: true })
  assert.deepEqual(
    (await collect(stream)).map(({ type }) => type),
    ['image_generation.completed'],
  )
})

test('a model that streams nothing gives one event for the image, with base64 and the cost', async () => {
  const ofSandbox = await client.images.generate({
    model: 'sandbox/image',
    prompt: 'x',
    size: '1024x1024',
    stream: true,
  })
  const [only, ...others] = (await collect(ofSandbox)) as Sent[]
  assert.deepEqual([only!.type, only!.cost, others], ['image_generation.completed', 0, []])
  fake.next(json({ data: [{ url: fake.imageUrl }] }))
  const { headers, sent } = await ask({ model: 'xai/grok-imagine-image', prompt: 'x', stream: true, partial_images: 2 })
  assert.deepEqual([sent.length, sent[0]!.b64_json, typeof sent[0]!.cost], [1, B64, 'number'])
  assert.equal(headers.get('x-gatehouse-dropped-fields'), 'partial_images')
  const { stream, partial_images } = JSON.parse(String(fake.requests[0]!.bytes))
  assert.deepEqual([stream, partial_images], [undefined, undefined])
})

test('every sign of OpenAI’s way gives events; a plain `stream: true` gives JSON, and says so', async () => {
  const body = { ...GPT, stream: true }
  const ways: [string, object, Record<string, string>][] = [
    ['/v3/images/generations', body, { accept: 'text/event-stream' }],
    ['/v3/images/generations', { ...body, partial_images: 0 }, {}],
    ['/v3/images/generations', body, { 'x-stainless-lang': 'python' }],
    ['/v3/images/generations', body, { 'user-agent': 'OpenAI/2.4.0 (.NET 9.0.1)' }],
    ['/v3/images/generations', body, { 'user-agent': 'AsyncOpenAI/Python 3.51.0' }],
    ['/v1/images/generations', body, {}],
    ['/openai/v1/images/generations', body, {}],
    ['/openai/deployments/gpt-image-2/images/generations?api-version=1', body, {}],
  ]
  for (const [path, asked, headers] of ways) {
    const { type, sent } = await ask(asked, headers, path)
    assert.match(type, /^text\/event-stream/, path + JSON.stringify(headers))
    assert.deepEqual([sent.length, sent[0]!.cost], [1, COST])
  }
  for (const stream of [true, false, null]) {
    const { headers, body: answer } = await generate({ ...GPT, stream })
    assert.deepEqual([answer.data.length, answer.cost], [1, COST])
    assert.equal(headers.get('x-gatehouse-dropped-fields'), stream ? 'stream' : null)
  }
  assert.equal(
    (await ask({ ...GPT, stream: false }, { accept: 'text/event-stream' })).type,
    'application/json; charset=utf-8',
  )
})

test('several images are several events, from one answer: providers stream one image only', async () => {
  const { headers, sent } = await ask({ ...GPT, n: 3, stream: true, partial_images: 1 })
  const costs = sent.map(({ type, cost, usage }) => [type, cost, usage])
  const first = ['image_generation.completed', undefined, undefined]
  assert.deepEqual(costs, [first, first, ['image_generation.completed', COST, USAGE]])
  assert.equal(headers.get('x-gatehouse-dropped-fields'), 'partial_images')
  assert.equal(fake.requests.length, 1)
})

test('a provider that answers a stream in one piece has answered', async () => {
  fake.next(json({ created: 5, data: [{ b64_json: B64 }], usage: USAGE }))
  const { sent } = await ask({ ...GPT, stream: true, partial_images: 1 })
  assert.deepEqual([sent.length, sent[0]!.b64_json, sent[0]!.cost], [1, B64, COST])
})

test('a link is sent to a caller who wants one', async () => {
  const { sent } = await ask({ ...GPT, stream: true, partial_images: 1, response_format: 'url' })
  const last = sent.at(-1) as Sent & { url: string }
  assert.deepEqual([last.b64_json, sent[0]!.b64_json], [null, B64])
  assert.deepEqual(Buffer.from(await (await fetch(last.url)).arrayBuffer()), PNG_IMAGE)
})

test('large images pass, also in small pieces', async () => {
  const large = Buffer.concat([png(64, 32), Buffer.alloc(300_000, 7)])
  for (const pieceBytes of [undefined, 1_000]) {
    fake.next((seen, response) => events(imageEvents(seen, 2, large), 'end', pieceBytes)(seen, response))
    const { sent } = await ask({ ...GPT, stream: true, partial_images: 2 })
    assert.deepEqual(
      sent.map(({ b64_json }) => b64_json === large.toString('base64')),
      [true, true, true],
    )
  }
})

test('before the first image, a failure has its status, and another model takes over', async () => {
  const blocked = { error: { message: 'blocked', code: 'moderation_blocked', type: 'image_generation_user_error' } }
  fake.next(json(blocked, 400))
  await assert.rejects(client.images.generate({ ...GPT, stream: true }), { status: 400, code: 'moderation_blocked' })
  fake.next(events([{ type: 'error', ...blocked }]))
  await assert.rejects(client.images.generate({ ...GPT, stream: true }), { code: 'moderation_blocked' })
  fake.next(events([]))
  await assert.rejects(client.images.generate({ ...GPT, stream: true }), { status: 502 })
  fake.next(events([{ type: 'error', error: { message: 'overloaded', type: 'server_error' } }]))
  fake.next(json({ data: [{ b64_json: B64 }] }))
  const alias = { targets: [{ model: 'openai/gpt-image-2' }], fallbacks: ['xai/grok-imagine-image'] }
  assert.equal((await admin.post('/admin/aliases', { name: 'drawer', ...alias })).status, 201)
  const { sent, headers } = await ask({ model: 'drawer', prompt: 'x', stream: true, partial_images: 1 })
  assert.deepEqual([sent.length, headers.get('x-gatehouse-provider')], [1, 'xai'])
})

test('a stream that breaks off ends with an error event, and its cost is an estimate', async () => {
  for (const then of ['end', 'break'] as const) {
    fake.next((seen, response) => events(imageEvents(seen, 1).slice(0, 1), then)(seen, response))
    const stream = await client.images.generate({ ...GPT, stream: true, partial_images: 1 })
    const types: string[] = []
    const reading = async () => {
      for await (const { type } of stream) types.push(type)
    }
    await assert.rejects(reading(), OpenAI.APIError)
    assert.deepEqual(types, ['image_generation.partial_image'])
    const line = await lastLine()
    assert.deepEqual([line.status, line.estimated], [502, true], then)
    assert.ok(line.cost! > 0)
  }
  fake.next((seen, response) =>
    events([imageEvents(seen, 1)[0]!, { type: 'error', error: { message: 'it failed', type: 'server_error' } }])(
      seen,
      response,
    ),
  )
  const { sent } = await ask({ ...GPT, stream: true, partial_images: 1 })
  assert.deepEqual([sent[0]!.type, sent[1]!.error!.code], ['image_generation.partial_image', 'upstream_error'])
  const { estimated, cost } = await lastLine()
  assert.deepEqual([estimated, cost! > 0], [true, true])
})

test('a reader that leaves stops the provider, before the first image and after it', async () => {
  const begun = (seen: SeenImageRequest) => events(imageEvents(seen, 1).slice(0, 1), 'wait')
  for (const hasBegun of [false, true]) {
    fake.next((seen, response) => (hasBegun ? begun(seen) : nothing())(seen, response))
    const leave = new AbortController()
    const arrived = fake.arrival()
    const reading = readUntil(leave)
    const { gone } = await arrived
    if (!hasBegun) leave.abort()
    await reading
    await gone
    const line = await lastLine()
    assert.deepEqual([line.status, line.estimated, line.cost! > 0], [499, true, true])
  }

  /** Leaves at the first event. */
  async function readUntil(leave: AbortController): Promise<void> {
    try {
      const stream = await client.images.generate({ ...GPT, stream: true, partial_images: 1 }, { signal: leave.signal })
      for await (const _ of stream) leave.abort()
    } catch (error) {
      assert.ok(error instanceof OpenAI.APIUserAbortError, String(error))
    }
  }
})

test('what no provider takes is refused, and the metadata is in the last event', async () => {
  for (const partial_images of [4, -1, 1.5, '1']) {
    const { status, body } = await generate({ ...GPT, partial_images })
    assert.deepEqual([status, body.detail[0]!.loc], [422, ['body', 'partial_images']])
  }
  const { sent } = await ask({ ...GPT, stream: true, partial_images: 1 }, METADATA.headers)
  const [first, last] = sent as [object, { gatehouse: { attempts: object[] } }]
  assert.deepEqual([Object.hasOwn(first, 'gatehouse'), last.gatehouse.attempts.length], [false, 1])
})

/** Asks, and reads the events to their end. */
async function ask(body: object, headers: Record<string, string> = {}, path = '/v3/images/generations') {
  const all = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...headers }
  const response = await fetch(gateway.url + path, { method: 'POST', headers: all, body: JSON.stringify(body) })
  const text = await readAll(response)
  const sent = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Sent)
  return { headers: response.headers, type: response.headers.get('content-type') ?? '', sent }
}

/** A stream that broke has no last chunk. */
async function readAll({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of body!) pieces.push(piece)
  } catch {}
  return Buffer.concat(pieces).toString()
}

async function lastLine() {
  await gateway.gateway.services.calls.ledger.flush()
  const { body } = await admin.get<RequestList>('/admin/requests?limit=1')
  return body.items[0]!
}
