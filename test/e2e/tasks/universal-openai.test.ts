import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { mp3, png } from '../../../src/base/sniff/fixtures/small-files.ts'
import { validator } from '../../../src/base/schema/validator.ts'
import { recordingOf } from '../../../src/translation/tasks/http/fixtures/recording.ts'
import moderation from '../../../src/translation/tasks/text/moderation/feature.ts'
import * as fake from '../../fakes/behaviours.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

const KEY = 'sk-canary-0123456789abcdefghij'
const MODERATION = { model: 'text/moderation/openai', input: { text: 'Hello' } }

describe('tasks at a provider', () => {
  let provider: FakeProvider
  let gateway: GatewayUnderTest
  let client: TaskClient
  before(async () => {
    provider = await startFakeProvider({ everyPath: true })
    gateway = await startGateway({ env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: provider.url } })
    client = taskClient(gateway.url)
  })
  after(async () => {
    await gateway?.close()
    await provider?.close()
  })
  beforeEach(() => {
    provider.reset()
    provider.always(recorded('text/moderation/openai'))
  })

  test('moderation: called with the key, answered in the task’s shape, free', async () => {
    const { status, body, text, headers } = await client.run({ ...MODERATION, show_original_response: true })
    assert.equal(status, 200, text)
    const [{ method, path, headers: sent, body: requested }] = provider.requests as [FakeProvider['requests'][0]]
    assert.deepEqual([method, path, sent.authorization], ['POST', '/v1/moderations', `Bearer ${KEY}`])
    assert.deepEqual(requested, { model: 'omni-moderation-latest', input: 'Hello' })
    const { output, original_response, ...rest } = body
    const names = { provider: 'openai', feature: 'text', subfeature: 'moderation' }
    assert.deepEqual(rest, { status: 'success', cost: 0, ...names })
    assert.deepEqual(validator(moderation.output).issues(output, []), [])
    assert.deepEqual(original_response, recordingOf('text/moderation/openai').json)
    assert.equal(headers.get('x-gatehouse-cost'), '0')
  })

  test('a recording of unknown length: its cost is an estimate, and the ledger says so', async () => {
    const estimated: number[] = []
    const input = { file: (await client.store(mp3(), 'a.mp3')).file_id }
    for (const answer of [{ text: 'Hi' }, { text: 'Hi', duration: 2.5 }]) {
      provider.always(fake.status(200, answer))
      const { body } = await client.submit({ model: 'audio/speech_to_text_async/openai', input })
      const { status, cost } = await client.ended(body.public_id)
      assert.ok(status === 'success' && cost! > 0)
      estimated.push(...(await estimatesOf(body.public_id)))
    }
    assert.deepEqual(estimated, [1, 0])
  })

  /** From the store: the line of a job is there as soon as its end is. */
  async function estimatesOf(id: string): Promise<number[]> {
    const { db } = gateway.gateway.services.calls
    const lines = await db.query<{ estimated: number }>('SELECT estimated FROM usage WHERE id = $1', [id])
    return lines.map(({ estimated }) => estimated)
  }

  test('embeddings: the price of the tokens that were counted', async () => {
    const data = [1, 0].map((index) => ({ index, object: 'embedding', embedding: [index, 0.5] }))
    provider.always(fake.status(200, { object: 'list', data, usage: { prompt_tokens: 300, total_tokens: 300 } }))
    const input = { texts: ['a', 'b'] }
    const small = await client.run({ model: 'text/embeddings/openai', input })
    assert.deepEqual(small.body.output, { items: [{ embedding: [0, 0.5] }, { embedding: [1, 0.5] }] })
    assert.deepEqual([small.body.cost, small.headers.get('x-gatehouse-cost')], [0.000006, '0.000006'])
    const large = await client.run({ model: 'text/embeddings/openai/text-embedding-3-large', input })
    assert.equal(large.body.cost, 0.000039)
    const unknown = await client.run({ model: 'text/embeddings/openai/of-tomorrow', input })
    assert.deepEqual([unknown.body.cost, unknown.headers.get('x-gatehouse-cost')], [null, null])
    assert.deepEqual(
      provider.requests.map(({ body }) => (body as { model: string }).model),
      ['text-embedding-3-small', 'text-embedding-3-large', 'of-tomorrow'],
    )
  })

  test('speech: priced by character, kept as a file', async () => {
    const bytes = Buffer.from(recordingOf('audio/tts/openai').base64!, 'base64')
    provider.always((_, response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(bytes))
    const { body, text } = await client.run({ model: 'audio/tts/openai', input: { text: '😀'.repeat(1000) } })
    assert.equal(body.cost, 0.015, text)
    const response = await fetch((body.output as { audio_resource_url: string }).audio_resource_url)
    assert.ok(bytes.equals(Buffer.from(await response.arrayBuffer())))
    assert.match(response.headers.get('content-disposition')!, /speech\.mp3/)
  })

  test('an image from an image: the upload reaches the provider', async () => {
    const image = png(4, 4)
    provider.always(fake.status(200, { created: 1, data: [{ b64_json: image.toString('base64') }] }))
    const { file_id } = await client.store(image, 'naïve %22x%22.png')
    const {
      status,
      body,
      text,
      headers: reported,
    } = await client.run({
      model: 'image/generation/openai',
      input: { text: 'x', reference_images: [file_id, file_id], mask: file_id },
    })
    assert.equal(status, 200, text)
    const { path, headers, text: sent } = provider.requests[0]!
    assert.equal(path, '/v1/images/edits')
    assert.match(headers['content-type']!, /^multipart\/form-data; boundary=/)
    assert.deepEqual(sent.match(/name="(image\[\]|mask)"; filename="naïve %22x%22\.png"/g)?.length, 3)
    const [item] = (body.output as { items: { image_resource_url: string }[] }).items
    assert.equal((await fetch(item!.image_resource_url)).headers.get('content-type'), 'image/png')
    // The price is an estimate; the header has the same value as the body.
    assert.ok(body.cost! > 0)
    assert.equal(reported.get('x-gatehouse-cost'), String(body.cost))
  })

  test('provider_params go along, but change neither the task nor its price', async () => {
    const provider_params = { user: 'me', model: 'dearer', input: 'other', encoding_format: 'base64' }
    await client.run({ ...MODERATION, provider_params })
    const sent = { user: 'me', encoding_format: 'base64', model: 'omni-moderation-latest', input: 'Hello' }
    assert.deepEqual(provider.requests[0]!.body, sent)
  })

  const FAILURES: Record<string, [fake.Behaviour, status: number, code: string]> = {
    'an error of its own': [fake.failure(500, { message: `crash of ${KEY}` }), 502, 'upstream_error'],
    'too busy': [fake.failure(503), 503, 'overloaded'],
    'too many requests': [fake.failure(429, {}, { 'retry-after': '7' }), 429, 'rate_limited'],
    'a wrong key': [fake.failure(401, { message: `Incorrect key ${KEY}` }), 502, 'upstream_auth'],
    'a bad request': [fake.failure(400, { message: 'No such voice.', code: 'bad_voice' }), 400, 'bad_voice'],
    'an unknown model': [fake.failure(404, { code: 'model_not_found' }), 404, 'model_not_found'],
    'a policy': [fake.failure(400, { code: 'content_policy_violation' }), 400, 'content_policy_violation'],
    'another shape': [fake.status(200, { results: [] }), 502, 'upstream_error'],
    'a page': [fake.html(200), 502, 'upstream_error'],
    'an empty answer': [fake.emptyBody(), 502, 'upstream_error'],
    'a hang-up': [fake.closeBeforeHeaders('rst'), 502, 'upstream_error'],
    'half an answer': [
      fake.rawBytes('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"resu', 'rst'),
      502,
      'upstream_error',
    ],
    'a way elsewhere': [fake.redirect('http://127.0.0.1:1/x'), 502, 'upstream_error'],
  }
  for (const [what, [behaviour, status, code]] of Object.entries(FAILURES)) {
    test(`${what} is reported as a failed task`, async () => {
      provider.always(behaviour)
      const reply = await client.run(MODERATION)
      const { error, ...body } = reply.body
      assert.deepEqual([reply.status, error.code], [status, code], reply.text)
      const names = { provider: 'openai', feature: 'text', subfeature: 'moderation' }
      assert.deepEqual(body, { status: 'fail', cost: 0, ...names, output: null })
      assert.ok(error.message.length > 0)
      assert.doesNotMatch(reply.text, /canary|127\.0\.0\.1/)
      assert.equal(reply.headers.get('retry-after'), { 429: '7', 503: '1' }[status] ?? null)
      assert.deepEqual(
        ['model', 'attempts', 'cost'].map((name) => reply.headers.get(`x-gatehouse-${name}`)),
        ['text/moderation/openai', '1', '0'],
      )
    })
  }

  for (const what of ['another shape', 'a page', 'an empty answer', 'half an answer']) {
    test(`${what} has been billed: the provider is not asked again, but a fallback is`, async ({ mock }) => {
      mock.method(gateway.gateway.services.calls.retries, 'take', () => true)
      provider.always(FAILURES[what]![0])
      const alone = await client.run(MODERATION)
      assert.deepEqual([alone.status, provider.requests.length], [502, 1], alone.text)
      const { status, body } = await client.run({ ...MODERATION, fallbacks: ['sandbox'] })
      assert.deepEqual([status, body.provider, provider.requests.length], [200, 'sandbox', 2])
    })
  }

  test('a failure that is not billed is retried as before', async ({ mock }) => {
    mock.method(gateway.gateway.services.calls.retries, 'take', () => true)
    provider.next(fake.failure(500))
    const { status } = await client.run(MODERATION)
    assert.deepEqual([status, provider.requests.length], [200, 2])
  })

  for (const fallback of ['text/moderation/sandbox', 'sandbox', 'sandbox/any']) {
    test(`after a failure ${fallback} takes over`, async () => {
      provider.always(fake.failure(500))
      const { status, body, headers } = await client.run({ ...MODERATION, fallbacks: ['openai', fallback] })
      assert.deepEqual([status, body.status, body.provider], [200, 'success', 'sandbox'])
      assert.equal(headers.get('x-gatehouse-attempts'), '3')
      assert.equal(provider.requests.length, 2)
    })
  }

  test('what the caller did wrong is not tried elsewhere', async () => {
    provider.always(fake.failure(400, { message: 'No.' }))
    const { status, body, headers } = await client.run({ ...MODERATION, fallbacks: ['sandbox'] })
    assert.deepEqual([status, body.status, headers.get('x-gatehouse-attempts')], [400, 'fail', '1'])
  })

  test('all failed: the last one’s reason', async () => {
    provider.next(fake.failure(500, { message: 'first' }))
    provider.next(fake.failure(429, { message: 'second' }))
    const { status, body } = await client.run({ ...MODERATION, fallbacks: ['openai/omni-moderation-2024-09-26'] })
    assert.equal(status, 429)
    assert.match(body.error.message, /omni-moderation-2024-09-26: second/)
  })

  test('a caller that leaves aborts the work', async () => {
    provider.always(fake.silence())
    const leaving = new AbortController()
    const reply = fetch(`${gateway.url}/v3/universal-ai`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...MODERATION, fallbacks: ['sandbox'] }),
      signal: leaving.signal,
    })
    const { closed } = await provider.request(0)
    leaving.abort()
    await assert.rejects(reply, { name: 'AbortError' })
    assert.equal(await closed, true)
  })
})

function recorded(address: string): fake.Behaviour {
  const { status, json } = recordingOf(address)
  return fake.status(status, json as object)
}
