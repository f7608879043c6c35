import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenAI } from 'openai'
import { imageSize } from '../../../src/base/sniff/image-size.ts'
import { ImageResponse } from '../../../src/contract/images.ts'
import { ModelList, type ModelObject } from '../../../src/contract/models.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import { drawn, json, nothing, PNG_IMAGE, type SeenImageRequest, USAGE } from '../../fakes/images.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { image, type ImageReply, imagesGateway } from './images-gateway.ts'

const setup = await imagesGateway()
const { gateway, fake, generate } = setup
const client = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
const admin = adminClient(gateway.adminUrl)

const SANDBOX = { model: 'sandbox/image', prompt: 'a gate' }
const GPT = { model: 'openai/gpt-image-2', prompt: 'a gate' }
/** Not in the catalog, and of no family that the gateway knows. */
const OTHER = { model: 'openai/some-image-model', prompt: 'a gate' }
/** 10 × 5 + 40 × 8 + 1000 × 30 millionths. */
const COST = 0.03037

test('the openai package: the sandbox generates real images of the requested size', async () => {
  const { data, usage, size, output_format, ...rest } = await client.images.generate({
    ...SANDBOX,
    n: 2,
    size: '1024x1536',
  })
  assert.deepEqual([data!.length, size, output_format], [2, '1024x1536', 'png'])
  for (const { b64_json } of data!)
    assert.deepEqual(imageSize(Buffer.from(b64_json!, 'base64')), { width: 1024, height: 1536 })
  assert.ok(usage!.total_tokens > 0)
  assert.deepEqual([(rest as { cost?: number }).cost, (rest as { provider?: string }).provider], [0, 'sandbox'])
})

test('an answer has all that is promised, and the price of its tokens', async () => {
  const { status, headers, body } = await generate(GPT)
  assert.equal(status, 200)
  assert.deepEqual(validator(ImageResponse).issues(body, []), [])
  const { data, ...rest } = body
  assert.deepEqual(data, [image({ b64_json: PNG_IMAGE.toString('base64') })])
  assert.deepEqual(rest, {
    created: 1_700_000_000,
    output_format: 'png',
    size: '64x32',
    usage: USAGE,
    cost: COST,
    provider: 'openai',
  })
  const about = ['model', 'provider', 'attempts', 'cost'].map((name) => headers.get(`x-gatehouse-${name}`))
  assert.deepEqual(about, ['openai/gpt-image-2', 'openai', '1', String(COST)])
})

test('several images from a provider that reports usage', async () => {
  fake.next(drawn({ size: '64x32', quality: 'low' }))
  const { body } = await generate({ ...GPT, n: 4 })
  assert.deepEqual([body.data.length, body.cost, body.size], [4, COST, '64x32'])
})

test('what the gateway does not know is passed on; what is its own is not', async () => {
  const extra = { background: 'opaque', seed: 3, deep: { a: [1, null] }, stream: false, user: 'u' }
  const { status } = await generate({ ...GPT, ...extra, n: 3, quality: 'hd', extra_headers: { 'X-Trace': 'abc' } })
  assert.equal(status, 200)
  const [{ bytes, headers, path }] = fake.requests as [(typeof fake.requests)[number]]
  assert.deepEqual(JSON.parse(String(bytes)), {
    ...extra,
    model: 'gpt-image-2',
    prompt: 'a gate',
    n: 3,
    quality: 'high',
  })
  assert.deepEqual(
    [path, headers.authorization, headers['x-trace']],
    ['/v1/images/generations', 'Bearer sk-test', 'abc'],
  )
})

test('a link is requested and base64 comes: it is stored, and the link serves the image', async () => {
  const { status, body } = await generate({ ...OTHER, response_format: 'url', n: 2 })
  assert.deepEqual([status, body.size, body.output_format], [200, '64x32', 'png'])
  for (const { url, b64_json } of body.data) {
    assert.ok(b64_json === null && url!.startsWith(`${gateway.url}/results/`))
    const response = await fetch(url!)
    assert.equal(response.headers.get('content-type'), 'image/png')
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), PNG_IMAGE)
  }
})

test('base64 is requested and a link comes: it is fetched; the price of an unknown model is null', async () => {
  fake.next(json({ created: 5, data: [{ url: fake.imageUrl, revised_prompt: 'better' }] }))
  const { status, body } = await generate({ ...OTHER, response_format: 'b64_json' })
  assert.equal(status, 200)
  assert.deepEqual(body.data, [image({ b64_json: PNG_IMAGE.toString('base64'), revised_prompt: 'better' })])
  assert.deepEqual([body.cost, body.size, body.usage], [null, '64x32', undefined])
})

test('an image that cannot be fetched is returned as its link, with a note', async () => {
  for (const url of ['https://127.0.0.1:1/a.webp', 'http://10.0.0.1/a.webp', 'ftp://cdn.test/a.webp']) {
    fake.next(json({ data: [{ url }] }))
    const headers = { 'x-gatehouse-metadata': 'enabled' }
    const { body } = await generate({ ...OTHER, response_format: 'b64_json' }, { headers })
    assert.deepEqual([body.data, body.output_format, body.size], [[image({ url })], 'webp', 'auto'])
    assert.equal(body.gatehouse.notes[0]!.field, 'response_format')
  }
})

test('by default the image comes as the provider sends it, also from a stream', async () => {
  fake.next(json({ data: [{ url: 'https://cdn.test/a.jpg' }] }))
  const { body } = await generate({ ...OTHER, size: '8x8' })
  assert.deepEqual(
    [body.data, body.output_format, body.size],
    [[image({ url: 'https://cdn.test/a.jpg' })], 'jpeg', '8x8'],
  )
  const event = { type: 'image_generation.completed', b64_json: PNG_IMAGE.toString('base64'), usage: USAGE }
  fake.next((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(event)}\n\n`)
  })
  const streamed = await generate({ ...GPT, stream: true })
  assert.deepEqual([streamed.body.data.length, streamed.body.cost], [1, COST])
})

test('models of another kind are refused with the endpoint that serves them, in both directions', async () => {
  const wrong = await generate({ model: 'sandbox/echo', prompt: 'x' })
  assertRefused(wrong, 400, 'unsupported_endpoint')
  assert.match(wrong.body.error.message, /do not support the image generations endpoint: 'sandbox\/echo'/)
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: 'sandbox/echo', prompt: 'x' })) form.set(name, value)
  form.set('image', new Blob([new Uint8Array(PNG_IMAGE)]), 'a.png')
  assertRefused(await setup.editForm(form), 400, 'unsupported_endpoint')
  const chat = { model: 'sandbox/image', messages: [{ role: 'user' as const, content: 'x' }] }
  await assert.rejects(client.chat.completions.create(chat), (error) => {
    assert.ok(error instanceof OpenAI.APIError)
    assert.match(error.message, /do not support the chat completions endpoint: 'sandbox\/image'/)
    return error.status === 400 && error.code === 'unsupported_endpoint'
  })
})

test('no router, no fallbacks, no providers that are not there', async () => {
  assertRefused(await generate({ model: '@service', prompt: 'x' }), 422, 'validation_error', ['body', 'model'])
  const fallbacks = [SANDBOX.model]
  assertRefused(await generate({ ...SANDBOX, fallbacks }), 422, 'validation_error', ['body', 'fallbacks'])
  assert.equal((await generate({ ...SANDBOX, fallbacks: null })).status, 200)
  assertRefused(await generate({ model: 'unknown/x', prompt: 'x' }), 404, 'model_not_found')
  assertRefused(await generate({ model: 'anthropic/claude-x', prompt: 'x' }), 424, 'provider_not_configured')
  assertRefused(await generate({ ...GPT, extra_headers: { authorization: 'x' } }), 422, 'validation_error')
  assert.deepEqual(fake.requests, [])
})

test('invalid fields are reported with their location', async () => {
  const faults: [object, string, string][] = [
    [{ prompt: '' }, 'prompt', 'string_too_short'],
    [{ prompt: 'x'.repeat(32_001) }, 'prompt', 'string_too_long'],
    [{ n: 0 }, 'n', 'greater_than_equal'],
    [{ n: 11 }, 'n', 'less_than_equal'],
    [{ response_format: 'pdf' }, 'response_format', 'literal_error'],
  ]
  for (const [options, field, type] of faults) {
    const { status, body } = await generate({ ...SANDBOX, ...options })
    assert.deepEqual([status, body.detail[0]!.loc, body.detail[0]!.type], [422, ['body', field], type])
  }
  assert.equal(
    (await generate({ ...GPT, prompt: 'x'.repeat(32_000), quality: 'anything', n: 10 })).body.data.length,
    10,
  )
})

test('a provider’s failures are reported as in a chat, and each call has its ledger line', async () => {
  const before = await spent()
  fake.next(
    json({ error: { message: 'blocked', code: 'moderation_blocked', type: 'image_generation_user_error' } }, 400),
  )
  const blocked = await generate(GPT)
  assert.deepEqual(
    [blocked.status, blocked.body.error.code, blocked.body.error.message],
    [400, 'moderation_blocked', 'blocked'],
  )
  fake.next(json({ error: { message: 'bad key sk-test' } }, 401))
  assertRefused(await generate(GPT), 502, 'upstream_auth')
  fake.next(json({ created: 1, data: [] }))
  assertRefused(await generate(GPT), 502, 'upstream_error')
  assert.equal((await generate(GPT)).status, 200)
  const now = await spent()
  assert.deepEqual([now.requests - before.requests, now.failed_requests - before.failed_requests], [4, 3])
  assert.ok(Math.abs(now.cost - before.cost - COST) < 1e-9)
})

test('a client that leaves ends the provider’s work; one that waits too long gets 504', async () => {
  fake.next(nothing())
  const leave = new AbortController()
  const arrived = fake.arrival()
  const answered = generate(GPT, { signal: leave.signal })
  const { gone } = await arrived
  leave.abort()
  await assert.rejects(answered, { name: 'AbortError' })
  await gone
  fake.next(nothing())
  assertRefused(await generate(GPT, { headers: { 'x-gatehouse-timeout-ms': '50' } }), 504, 'upstream_timeout')
})

test('a provider with tickets is polled until it is done, once for each image', async () => {
  const polls = new Map<string, number>()
  fake.always((seen, response) => json(ticketAnswer(seen, polls))(seen, response))
  const { status, body, headers } = await generate({ model: 'bfl/flux-2-pro', prompt: 'x', n: 3, size: '64x32' })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body.data, Array(3).fill(image({ url: fake.imageUrl })))
  assert.deepEqual([...polls.values()], [3, 3, 3])
  assert.ok(fake.requests.every(({ headers }) => headers['x-key'] === 'bfl-test'))
  assert.deepEqual([headers.get('x-gatehouse-attempts'), body.provider], ['1', 'bfl'])
})

test('an image that came as an address is fetched where the provider does not state its size, and priced by it', async () => {
  const polls = new Map<string, number>()
  fake.always((seen, response) => json(ticketAnswer(seen, polls))(seen, response))
  const { body } = await generate({ model: 'bfl/flux-2-pro', prompt: 'x' })
  assert.deepEqual([body.data, body.size, body.output_format], [[image({ url: fake.imageUrl })], '64x32', 'png'])
  assert.equal(body.cost, (0.03 * 64 * 32) / 1_000_000)
  fake.always(json({ data: [{ url: 'https://10.0.0.1/drawn' }] }))
  const unseen = await generate({ ...OTHER, size: '2K' })
  assert.deepEqual([unseen.body.size, unseen.body.output_format, unseen.body.cost], ['2K', undefined, null])
})

test('a client that leaves stops the polling', async () => {
  const leave = new AbortController()
  fake.always((seen, response) => {
    if (fake.requests.length === 5) return leave.abort()
    json(seen.method === 'POST' ? { id: 't', polling_url: `${fake.url}/get_result` } : { id: 't', status: 'Pending' })(
      seen,
      response,
    )
  })
  await assert.rejects(generate({ model: 'bfl/flux-2-pro', prompt: 'x' }, { signal: leave.signal }), {
    name: 'AbortError',
  })
  await fake.requests[4]!.gone
  // After another complete call, there was still no retry.
  fake.always(drawn())
  assert.equal((await generate(GPT)).status, 200)
  assert.equal(fake.requests.length, 6)
})

test('a sandbox key gets images of any model, for free; scopes and regions apply', async () => {
  const { key } = await admin.issue({ kind: 'sandbox' })
  const { status, body } = await generate({ ...GPT, size: '16x16' }, { key })
  assert.deepEqual([status, body.size, body.cost, body.provider], [200, '16x16', 0, 'sandbox'])
  const chatOnly = await admin.issue({ scopes: ['chat'] })
  assertRefused(await generate(SANDBOX, { key: chatOnly.key }), 403, 'not_allowed')
  const european = await admin.issue({ region: 'eu' })
  assertRefused(await generate(GPT, { key: european.key }), 451, 'region_not_allowed')
  assert.equal((await generate(SANDBOX, { key: european.key })).status, 200)
  assert.deepEqual(fake.requests, [])
})

test('the list has image models only, by region; the long list has them too; variations are not there', async () => {
  const list = await models('/v3/images/models')
  assert.deepEqual(validator(ModelList).issues(list, []), [])
  const ids = list.data.map(({ id }) => id)
  assert.ok(ids.includes('sandbox/image') && ids.includes('openai/gpt-image-2') && !ids.includes('sandbox/echo'))
  assert.ok(list.data.every(({ capabilities }) => capabilities!.output_modalities!.includes('image')))
  const all = new Set((await models('/v3/models')).data.map(({ id }) => id))
  assert.ok(ids.every((id) => all.has(id)))
  const { key } = await admin.issue({ region: 'eu' })
  const european = (await models('/v3/images/models', key)).data.map(({ id }) => id)
  assert.ok(european.includes('sandbox/image') && !european.includes('openai/gpt-image-2'))
  const image = new File([new Uint8Array(PNG_IMAGE)], 'a.png')
  await assert.rejects(client.images.createVariation({ image }), { status: 501 })
})

/** A task that is still running at the first two polls. */
function ticketAnswer({ method, path }: SeenImageRequest, polls: Map<string, number>): object {
  if (method === 'POST') return { id: `task-${polls.size}`, polling_url: newTicket(polls) }
  const count = polls.get(path)! + 1
  polls.set(path, count)
  return count < 3 ? { id: 't', status: 'Pending' } : { id: 't', status: 'Ready', result: { sample: fake.imageUrl } }
}

function newTicket(polls: Map<string, number>): string {
  const path = `/v1/get_result?id=task-${polls.size}`
  polls.set(path, 0)
  return new URL(path, fake.url).href
}

async function models(path: string, key = API_KEY): Promise<{ object: string; data: ModelObject[] }> {
  const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(response.status, 200)
  return (await response.json()) as { object: string; data: ModelObject[] }
}

type Spent = { requests: number; failed_requests: number; cost: number }

async function spent(): Promise<Spent> {
  await gateway.gateway.services.calls.ledger.flush()
  const { body } = await admin.get<{ items: (Spent & { group: string })[] }>('/admin/usage?group_by=model')
  return body.items.find(({ group }) => group === GPT.model) ?? { requests: 0, failed_requests: 0, cost: 0 }
}

function assertRefused({ status, body }: ImageReply, expected: number, code: string, loc?: string[]): void {
  assert.deepEqual([status, body.error.code], [expected, code], JSON.stringify(body))
  if (loc) assert.deepEqual(body.detail[0]!.loc, loc)
}
