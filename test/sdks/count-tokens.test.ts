import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { after, beforeEach, describe, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { closeBeforeHeaders, html, silence, status } from '../fakes/behaviours.ts'
import { withEnoughTime } from '../fakes/enough-time.ts'
import { startFakeProvider } from '../fakes/provider.ts'
import { adminClient } from '../gateway/admin-client.ts'
import { API_KEY, startGateway } from '../gateway/gateway-under-test.ts'
import { LONG_MS } from '../gateway/limited-send.ts'
import { servedDuring } from '../gateway/served-during.ts'

const fake = await startFakeProvider({ everyPath: true })
const CREDENTIAL = 'sk-ant-test-0123456789abcdef'
const gateway = await startGateway({
  env: {
    ANTHROPIC_BASE_URL: fake.url,
    ANTHROPIC_API_KEY: CREDENTIAL,
    OPENAI_BASE_URL: fake.url,
    OPENAI_API_KEY: 'sk-test-0123456789abcdef',
    GEMINI_BASE_URL: fake.url,
    GEMINI_API_KEY: 'gemini-test-key',
    BEDROCK_BASE_URL: fake.url,
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: 'secret-of-the-test',
  },
})
after(async () => {
  await gateway.close()
  await fake.close()
})
beforeEach(() => fake.reset())

const admin = adminClient(gateway.adminUrl)
const CLAUDE = 'anthropic/claude-sonnet-4-5'
/** Supported, but not configured here. */
const ELSEWHERE = 'groq/openai/gpt-oss-120b'
let texts = 0

type Reply = { status: number; headers: Headers; body: { input_tokens: number } & Refusal }
type Refusal = { error: { code: string; message: string; param: string }; detail?: { loc: unknown[] }[] }

async function count(body: object, key = API_KEY, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(`${gateway.url}/v3/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply['body'] }
}

/** A new text each time, because counts are cached. */
function asking(model: string) {
  return { model, messages: [{ role: 'user', content: `Hello number ${texts++}` }] }
}

function isEstimate({ headers }: { headers: Headers }): boolean {
  return headers.get('x-gatehouse-estimate') === 'true'
}

describe("the provider's own counter", () => {
  test('of Anthropic counts for its SDK', async () => {
    const client = new Anthropic({ apiKey: API_KEY, baseURL: `${gateway.url}/v3`, maxRetries: 0 })
    fake.always(status(200, { input_tokens: 14 }))
    const messages = [{ role: 'user' as const, content: 'Hello, Claude' }]
    const params = { model: CLAUDE, system: 'You are a scientist', messages }
    const { data, response } = await client.messages.countTokens(params).withResponse()
    assert.deepEqual(data, { input_tokens: 14 })
    assert.equal(isEstimate(response), false)
    assert.equal(response.headers.get('x-gatehouse-cost'), '0')
    const beta = await client.beta.messages.countTokens({ ...params, model: 'claude-sonnet-4-5', betas: ['test-1'] })
    assert.equal(beta.input_tokens, 14)
    const [plain, second] = fake.requests
    assert.equal(plain?.path, '/v1/messages/count_tokens')
    assert.deepEqual(plain?.body, { ...params, model: 'claude-sonnet-4-5' })
    assert.equal(plain?.headers['x-api-key'], CREDENTIAL)
    assert.match(String(second?.headers['anthropic-beta']), /test-1/)
  })

  test('of OpenAI, Google and Bedrock counts too', async () => {
    const requests: [string, string, object][] = [
      ['openai/gpt-4o', '/v1/responses/input_tokens', { input_tokens: 21 }],
      ['google/gemini-2.5-pro', '/v1/models/gemini-2.5-pro:countTokens', { totalTokens: 21 }],
      [
        'amazon/us.anthropic.claude-sonnet-5',
        '/v1/model/us.anthropic.claude-sonnet-5/count-tokens',
        { inputTokens: 21 },
      ],
    ]
    for (const [model, path, answer] of requests) {
      fake.always(status(200, answer))
      const reply = await count(asking(model))
      assert.deepEqual([reply.body, isEstimate(reply)], [{ input_tokens: 21 }, false], model)
      assert.equal(fake.requests.at(-1)?.path, path)
    }
    assert.match(String(fake.requests.at(-1)?.headers.authorization), /^AWS4-HMAC-SHA256 Credential=AKIATEST/)
  })

  test('a repeated count of the same owner is cached; another owner’s is requested', async () => {
    fake.always(status(200, { input_tokens: 14 }))
    const [body, other] = [asking(CLAUDE), await admin.issue({ owner: 'another owner' })]
    for (const key of [API_KEY, API_KEY, other.key]) assert.equal((await count(body, key)).body.input_tokens, 14)
    assert.equal(fake.requests.length, 2)
  })

  test('one that fails is replaced by an estimate, which is not remembered', async () => {
    const failures = [
      status(500, {}),
      status(400, {}),
      html(),
      status(200, { input_tokens: 'many' }),
      closeBeforeHeaders(),
    ]
    for (const failure of failures) {
      const body = asking(CLAUDE)
      fake.next(failure)
      fake.always(status(200, { input_tokens: 14 }))
      const reply = await count(body)
      assert.deepEqual([reply.status, isEstimate(reply)], [200, true])
      assert.ok(reply.body.input_tokens > 5)
      assert.equal((await count(body)).body.input_tokens, 14)
    }
  })

  test('a silent counter is not waited for', async () => {
    fake.always(silence())
    const { calls } = gateway.gateway.services
    await withEnoughTime(50, async (countTokensMs) => {
      Object.assign(calls, { countTokensMs })
      const reply = await count(asking(CLAUDE))
      assert.deepEqual([reply.status, isEstimate(reply), reply.headers.get('x-gatehouse-attempts')], [200, true, '1'])
      assert.equal(await fake.requests.at(-1)?.closed, true)
    })
    Object.assign(calls, { countTokensMs: LONG_MS })
  })

  test('a client that leaves aborts the request', async () => {
    fake.always(silence())
    const leave = new AbortController()
    const pending = fetch(`${gateway.url}/v3/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` },
      body: JSON.stringify(asking(CLAUDE)),
      signal: leave.signal,
    })
    const seen = await fake.request(0)
    leave.abort()
    await assert.rejects(pending)
    assert.equal(await seen.closed, true)
  })
})

describe('counted here', () => {
  test('without a credential, and for sandbox keys, no provider is called', async () => {
    const { key } = await admin.issue({ kind: 'sandbox' })
    for (const [model, by] of [
      [ELSEWHERE, API_KEY],
      [CLAUDE, key],
      ['sandbox/echo', key],
    ] as const) {
      const reply = await count(asking(model), by)
      assert.deepEqual([reply.status, isEstimate(reply)], [200, true], model)
      assert.ok(reply.body.input_tokens > 5)
    }
    assert.equal(fake.requests.length, 0)
  })

  test('unknown blocks, tools and fields', async () => {
    const blocks = [{ type: 'text', text: 'Hello' }, { type: 'thinking', thinking: 'x' }, { type: 'of_tomorrow' }]
    const tools = [{ name: 'look', input_schema: { type: 'object' } }]
    const more = { system: [{ type: 'text', text: 'Be brief.' }], tools, tool_choice: { type: 'auto' }, later: true }
    const { status, body } = await count({ model: ELSEWHERE, messages: [{ role: 'user', content: blocks }], ...more })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['input_tokens'])
  })

  test('a megabyte does not keep other callers waiting', async () => {
    await count(asking(ELSEWHERE))
    const body = { model: ELSEWHERE, messages: [{ role: 'user', content: newMegabyte() }] }
    const { value, served } = await servedDuring(gateway.url, count(body))
    assert.ok(value.body.input_tokens > 200_000)
    assert.ok(served > 3, `${served} others`)
  })
})

/** Of words that are all different, because words that come again are counted at once. */
function newMegabyte(): string {
  const first = ++texts * 1_000_000
  return Array.from({ length: 160_000 }, (_, i) => (((first + i) * 2_654_435_761) % 2 ** 32).toString(36)).join(' ')
}

describe('refusals', () => {
  test('a body without model or messages', async () => {
    const { status, body } = await count({ system: 'x' })
    assert.equal(status, 422)
    assert.deepEqual(
      body.detail?.map(({ loc }) => loc),
      [
        ['body', 'model'],
        ['body', 'messages'],
      ],
    )
  })

  test('models that are not there; one that several providers have is counted', async () => {
    const unknown = await count(asking('unknown/x'))
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'model_not_found'])
    assert.match(unknown.body.error.message, /GET \/v3\/models/)
    const bare = await count(asking('no-such-model'))
    assert.deepEqual([bare.status, bare.body.error.param], [404, 'model'])
    const twice = await count(asking('gpt-4o'))
    assert.deepEqual([twice.status, twice.headers.get('x-gatehouse-model')], [200, 'openai/gpt-4o'])
  })

  test('scopes, models and regions of the key', async () => {
    const issue = async (options: object) => (await admin.issue(options)).key
    const refusal = async (options: object) => {
      const { status, body } = await count(asking(CLAUDE), await issue(options))
      return [status, body.error?.code]
    }
    assert.deepEqual(await refusal({ scopes: ['chat'] }), [403, 'not_allowed'])
    assert.deepEqual(await refusal({ scopes: ['model:openai/*'] }), [403, 'not_allowed'])
    assert.deepEqual(await refusal({ region: 'eu' }), [451, 'region_not_allowed'])
    fake.always(status(200, { input_tokens: 14 }))
    assert.equal((await count(asking(CLAUDE), await issue({ scopes: ['tokens', 'model:anthropic/*'] }))).status, 200)
    assert.equal((await count(asking(CLAUDE), 'nope')).status, 401)
  })
})

test('a count is logged, and costs nothing', async () => {
  const { headers } = await count(asking(ELSEWHERE))
  const id = headers.get('x-request-id')!
  // The line is written when the answer has been sent, which may be after the client has it.
  while (!gateway.logs().includes(id)) await setTimeout(1)
  const line = gateway
    .logs()
    .split('\n')
    .find((line) => line.includes(id))
  const { model, cost, endpoint } = JSON.parse(line!) as Record<string, unknown>
  assert.deepEqual([endpoint, model, cost], ['POST /v3/v1/messages/count_tokens', ELSEWHERE, 0])
})
