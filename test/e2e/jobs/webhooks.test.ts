import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { withRawNumbers } from '../../fakes/raw-numbers.ts'
import { answer, failure } from '../../fakes/behaviours.ts'
import { type Received, startReceiver } from '../../fakes/webhook-receiver.ts'
import { type GatewayWithFakes, startGatewayWithFakes } from '../../gateway/gateway-with-fakes.ts'
import { type TaskClient, taskClient } from '../../gateway/task-client.ts'

const JOB = { model: 'text/moderation/sandbox', input: { text: 'Hello' } }
const SENTIMENT = { model: 'text/sentiment_analysis/openai/gpt-4o-mini', input: { text: 'Lovely.' } }
const OUTPUT = { general_sentiment: 'Positive', general_sentiment_rate: 1, items: [] }
const ALWAYS = ['event', 'job_id', 'status', 'feature', 'subfeature', 'provider', 'model', 'created_at', 'finished_at']
const POLL_MS = 5

type Payload = Record<string, unknown> & { job_id: string; created_at: string; finished_at: string }

describe('webhooks', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let gateway: GatewayWithFakes
  let client: TaskClient
  let pem: string
  before(async () => {
    receiver = await startReceiver()
    gateway = await startGatewayWithFakes({}, { ALLOW_NETWORKS: '127.0.0.0/8' })
    client = taskClient(gateway.gateway.url)
    pem = (await client.get('/v3/webhooks/public-key')).text
  })
  after(async () => {
    await gateway?.close()
    await receiver?.stop()
  })
  beforeEach(async () => {
    receiver.received.length = 0
    await gateway.reset()
  })

  test('comes with these headers and no others', async () => {
    const { headers, rawHeaders, body } = await webhookOf(JOB)
    const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
    const ours = ['x-service-webhook', 'x-service-signature', 'x-service-hash-algorithm', 'x-service-key-id']
    const original = ['x-edenai-webhook', 'x-edenai-signature', 'x-edenai-hash-algorithm']
    const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    const plain = ['host', 'connection', 'content-type', 'content-length', 'user-agent', 'accept-encoding']
    assert.deepEqual(names.toSorted(), [...ours, ...original, ...standard, ...plain].toSorted())
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['user-agent'], 'Gatehouse/Webhooks')
    assert.equal(headers['x-service-webhook'], 'true')
    assert.equal(headers['x-service-hash-algorithm'], 'SHA256')
    assert.match(String(headers['x-service-signature']), /^[0-9a-f]{512}$/)
    for (const name of ['webhook', 'signature', 'hash-algorithm'])
      assert.equal(headers[`x-edenai-${name}`], headers[`x-service-${name}`], name)
    assert.match(String(headers['x-service-key-id']), /^[0-9a-f]{16}$/)
    assert.match(String(headers['webhook-id']), /^[0-9a-f-]{36}$/)
    assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 60)
    assert.match(String(headers['webhook-signature']), /^v1a,[A-Za-z0-9+/]{86}==$/)
    assert.equal(headers['content-length'], String(body.length))
  })

  test('is the canonical text of what it says: keys sorted, two spaces, raw UTF-8', async () => {
    const user_webhook_parameters = { ä: 'Grüße 😀\u2028"\\/', Z: [], a: { b: {}, c: 1e21, A: -0.5 }, '': null }
    const { body } = await webhookOf({ ...JOB, user_webhook_parameters })
    const text = body.toString('utf8')
    assert.equal(text, JSON.stringify(sorted(JSON.parse(text)), null, 2))
    assert.deepEqual(JSON.parse(text).user_parameters, user_webhook_parameters)
    assert.ok(text.includes('"ä": "Grüße 😀\u2028'))
  })

  test('keeps the digits of a number only where its value would change', async () => {
    const numbers = '{"a":1.10,"b":12345678901234567890,"c":[1e2,-0,9007199254740993,0.1],"d":1e400}'
    const { body } = await webhookOf({ ...JOB, user_webhook_parameters: withRawNumbers(numbers) })
    const text = body.toString('utf8').replaceAll(/\s/g, '')
    const written = '{"a":1.1,"b":12345678901234567890,"c":[100,0,9007199254740993,0.1],"d":1e400}'
    assert.ok(text.endsWith(`"user_parameters":${written}}`), text)
  })

  test('is signed over the text of its hash, as node:crypto and openssl find', async () => {
    const { body, headers } = await webhookOf(JOB)
    const signature = Buffer.from(String(headers['x-service-signature']), 'hex')
    const digest = createHash('sha256').update(body).digest('hex')
    assert.ok(verify('RSA-SHA256', Buffer.from(digest), createPublicKey(pem), signature))
    const changed = createHash('sha256')
      .update(Buffer.concat([body, Buffer.from('\n')]))
      .digest('hex')
    assert.ok(!verify('RSA-SHA256', Buffer.from(changed), createPublicKey(pem), signature))
    assert.match(await opensslVerdict(pem, signature, digest), /Verified OK/)
  })

  const PRESENCE: Record<string, [body: object, more: string[]]> = {
    'a success': [{}, ['output']],
    'a success with its original': [{ show_original_response: true }, ['output', 'original_response']],
    'a success with parameters': [{ user_webhook_parameters: { a: 1 } }, ['output', 'user_parameters']],
    'a success with no parameters': [{ user_webhook_parameters: null }, ['output']],
    'a success with empty parameters': [{ user_webhook_parameters: {} }, ['output', 'user_parameters']],
    'a failure': [{ fails: true }, ['error']],
    'a failure with its original': [{ fails: true, show_original_response: true }, ['error', 'original_response']],
    'a failure with parameters': [{ fails: true, user_webhook_parameters: { a: 1 } }, ['error', 'user_parameters']],
  }
  for (const [what, [{ fails, ...body }, more]] of Object.entries(PRESENCE) as [
    string,
    [{ fails?: true }, string[]],
  ][]) {
    test(`${what} tells ${more.join(' and ')}, and no more than that`, async () => {
      gateway.openai.always(
        fails ? failure(500, { message: 'out of paper' }) : answer({ content: JSON.stringify(OUTPUT) }),
      )
      const payload = payloadOf(await webhookOf({ ...SENTIMENT, ...body }))
      assert.deepEqual(Object.keys(payload).toSorted(), [...ALWAYS, ...more].toSorted())
      const {
        job_id,
        created_at,
        finished_at,
        output,
        error,
        original_response: _,
        user_parameters: __,
        ...rest
      } = payload
      assert.deepEqual(rest, {
        event: 'async_job_completed',
        status: fails ? 'fail' : 'success',
        feature: 'text',
        subfeature: 'sentiment_analysis',
        provider: 'openai',
        model: 'gpt-4o-mini',
      })
      const { public_id, created_at: accepted } = await client.ended(job_id)
      assert.deepEqual([public_id, accepted], [job_id, created_at])
      assert.ok(Date.parse(created_at) <= Date.parse(finished_at))
      assert.deepEqual(output, fails ? undefined : OUTPUT)
      const message = 'text/sentiment_analysis/openai/gpt-4o-mini: out of paper'
      assert.deepEqual(error, fails ? { message } : undefined)
    })
  }

  test('the original is the provider’s own answer', async () => {
    gateway.openai.always(answer({ content: JSON.stringify(OUTPUT) }))
    const payload = payloadOf(await webhookOf({ ...SENTIMENT, show_original_response: true }))
    assert.equal((payload.original_response as { id: string }).id, 'chatcmpl-fake')
  })

  async function webhookOf(body: object): Promise<Received> {
    const { status, text } = await client.submit({ ...body, webhook_receiver: receiver.url })
    assert.equal(status, 202, text)
    await until(() => receiver.received.length === 1)
    return receiver.received[0]!
  }
})

function payloadOf({ body }: Received): Payload {
  return JSON.parse(body.toString('utf8'))
}

/** Works only for keys that do not look like numbers, because JavaScript puts those first. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  )
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(POLL_MS)
}

async function opensslVerdict(pem: string, signature: Buffer, digest: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-openssl-'))
  const [key, signed, text] = ['key.pem', 'signature', 'digest'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await Promise.all([writeFile(key, pem), writeFile(signed, signature), writeFile(text, digest)])
  const { stdout } = await promisify(execFile)('openssl', [
    'dgst',
    '-sha256',
    '-verify',
    key,
    '-signature',
    signed,
    text,
  ])
  await rm(folder, { recursive: true })
  return stdout
}
