import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI } from '@langchain/openai'
import { generateText } from 'ai'
import OpenAI from 'openai'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { type LimitsGateway, startLimitsGateway } from '../gateway/limits-gateway.ts'

// Real clients get real refusals of the gateway, on a clock that does not wait, and are watched: how often they send a request
// again, and how long they would have waited.

let scene: LimitsGateway
before(async () => {
  scene = await startLimitsGateway()
})
after(() => scene.close())

const messages = [{ role: 'user' as const, content: 'hi' }]
const model = 'fake/priced'
const EXHAUSTED = { budgets: [{ id: 'spent', appliesTo: 'all', limit: 0, window: 'month' }] }
const PER_MINUTE = { rateLimits: [{ id: 'rpm', appliesTo: 'all', unit: 'requests', limit: 2, window: 'minute' }] }
const PER_DAY = { rateLimits: [{ id: 'daily', appliesTo: 'all', unit: 'requests', limit: 1, window: 'day' }] }

type Client = { name: string; stops: boolean; ask(fetch: typeof globalThis.fetch): Promise<unknown> }

const baseURL = () => `${scene.gateway.url}/v3`
const CLIENTS: Client[] = [
  {
    name: 'openai',
    stops: true,
    ask: (fetch) =>
      new OpenAI({ apiKey: API_KEY, baseURL: baseURL(), fetch }).chat.completions.create({
        model,
        messages,
        max_tokens: 9,
      }),
  },
  {
    name: '@anthropic-ai/sdk',
    stops: true,
    ask: (fetch) =>
      new Anthropic({ apiKey: API_KEY, baseURL: baseURL(), fetch }).messages.create({ model, messages, max_tokens: 9 }),
  },
  {
    name: 'ai',
    // It does not know `x-should-retry`, and waits a few seconds of its own instead of an hour.
    stops: false,
    ask: (fetch) => {
      const gatehouse = createOpenAICompatible({ name: 'gatehouse', apiKey: API_KEY, baseURL: baseURL(), fetch })
      return generateText({ model: gatehouse(model), prompt: 'hi', maxOutputTokens: 9 })
    },
  },
  {
    name: '@langchain/openai',
    stops: true,
    ask: (fetch) => {
      const configuration = { baseURL: baseURL(), fetch }
      return new ChatOpenAI({ model, apiKey: API_KEY, configuration, maxRetries: 2, maxTokens: 9 }).invoke('hi')
    },
  },
]

for (const { name, ask, stops } of CLIENTS) {
  test(`${name} does not send a request again that a budget refuses`, async () => {
    await scene.limit(EXHAUSTED)
    const { sent, waits } = await watched(ask)
    assert.deepEqual([sent, waits], [[402], []])
  })

  test(`${name} waits as long as a rate limit says, and then gets its answer`, async () => {
    await scene.limit({ rateLimits: [{ ...PER_MINUTE.rateLimits[0], id: `rpm-${name.replace(/\W/g, '')}` }] })
    for (let count = 0; count < 2; count++) await scene.chat()
    const { sent, waits, asked, failure } = await watched(ask, () => scene.limit({}))
    assert.equal(failure, undefined)
    assert.deepEqual(sent, [429, 200])
    assert.equal(waits.length, 1)
    assert.ok(Math.abs(waits[0]! - asked[0]!) <= 1_000, `waited ${waits[0]} ms instead of ${asked[0]} ms`)
  })

  test(`${name} does not sleep until tomorrow`, async () => {
    await scene.limit({ rateLimits: [{ ...PER_DAY.rateLimits[0], id: `daily-${name.replace(/\W/g, '')}` }] })
    await scene.chat()
    const { sent, waits } = await watched(ask)
    if (stops) assert.deepEqual([sent, waits], [[429], []])
    assert.ok(
      waits.every((ms) => ms <= 60_000),
      String(waits),
    )
  })
}

const LONGEST_WAIT_MS = 90_000

/** Runs a client whose waits take no time. `before` happens between its first and its second request. */
async function watched(ask: Client['ask'], beforeRetry?: () => Promise<void>) {
  const [sent, waits, asked]: number[][] = [[], [], []]
  const { setTimeout: real } = globalThis
  const quick = (run: () => void, ms = 0, ...rest: []) => {
    const isWait = ms >= 100 && ms <= LONGEST_WAIT_MS && isOfClient()
    if (isWait) waits!.push(ms)
    return real(run, isWait ? 0 : ms, ...rest)
  }
  globalThis.setTimeout = Object.assign(quick, real) as unknown as typeof setTimeout
  let failure: unknown
  try {
    await ask(async (input, init) => {
      if (sent!.length > 0) await beforeRetry?.()
      const response = await fetch(input as string, init)
      sent!.push(response.status)
      asked!.push(Number(response.headers.get('retry-after-ms') ?? Number.NaN))
      return response
    }).catch((error: unknown) => {
      failure = error
    })
  } finally {
    globalThis.setTimeout = real
  }
  return { sent: sent!, waits: waits!, asked: asked!, failure }
}

/** The gateway runs in this process too, and its timers are real. */
function isOfClient(): boolean {
  return /node_modules/.test(new Error().stack?.split('\n')[3] ?? '')
}
