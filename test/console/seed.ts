import assert from 'node:assert/strict'
import { insertUsage } from '../../src/platform/store/ledger/usage.ts'
import type { LedgerLine } from '../../src/platform/store/ledger/ledger-line.ts'
import type { AttemptDetail } from '../../src/platform/store/ledger/request-detail.ts'
import type { GatewayUnderTest } from '../gateway/gateway-under-test.ts'
import type { Client } from '../gateway/people-under-test.ts'
import { ledgerLine } from '../fakes/ledger-line.ts'
import { DAY_MS } from '../../src/base/units/units.ts'

// Two plausible months of a small company, the same at every run.

const SEEDED_LINES = 900
export const HOSTILE = '<img src=x onerror="document.title=1">'
const BATCH = 200

const MODELS = [
  { model: 'anthropic/claude-sonnet-4-5', input: 3, output: 15 },
  { model: 'openai/gpt-4o-mini', input: 0.15, output: 0.6 },
  { model: 'google/gemini-2.5-flash', input: 0.3, output: 2.5 },
  { model: 'mistral/mistral-large-latest', input: 2, output: 6 },
]

export async function seed({ gateway }: GatewayUnderTest, owner: Client): Promise<void> {
  const keys = await makeKeys(owner)
  const budget = { id: 'research-month', applies_to: 'project:search', limit: 20, window: 'month' }
  assert.equal((await owner('POST', '/admin/budgets', budget)).status, 201)
  const random = numbers(7)
  const rows = Array.from({ length: SEEDED_LINES }, (_, at) => line(at, keys, random))
  const all = [...rows, hostileLine(keys)]
  for (let start = 0; start < all.length; start += BATCH)
    await insertUsage(gateway.services.calls.db, all.slice(start, start + BATCH))
}

type Key = { id: string; project: string }

async function makeKeys(owner: Client): Promise<Key[]> {
  const made: Key[] = []
  for (const project of ['search', 'support']) {
    const { status } = await owner('POST', '/admin/projects', { id: project, name: `${project} team` })
    assert.equal(status, 201)
    for (const name of [`${project} production`, `${project} staging`]) {
      const { body } = await owner('POST', '/admin/keys', { name, project })
      made.push({ id: body.id, project })
    }
  }
  const { body } = await owner('POST', '/admin/keys', { name: HOSTILE, project: 'search' })
  return [...made, { id: body.id, project: 'search' }]
}

/** The sequence of a small generator, so that a failure can be repeated. */
function numbers(start: number): () => number {
  let state = start
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

function line(at: number, keys: readonly Key[], random: () => number): LedgerLine {
  const key = keys[Math.floor(random() * 4)]!
  const price = MODELS[Math.floor(random() ** 2 * MODELS.length)]!
  const failed = random() < 0.04
  const [prompt, cachedShare] = [Math.floor(200 + random() * 9_000), random() < 0.3 ? random() * 0.8 : 0]
  const completion = failed ? 0 : Math.floor(20 + random() * 900)
  const cost = (prompt * price.input + completion * price.output) / 1e6
  const duration = Math.floor(300 + random() * 6_000)
  return ledgerLine({
    id: `req_seed_${at}`,
    at: Date.now() - Math.floor(random() ** 1.3 * 60 * DAY_MS) - 60_000,
    keyId: key.id,
    ownerId: key.project,
    organization: 'default',
    project: key.project,
    endpoint: 'chat',
    model: price.model,
    provider: price.model.split('/')[0]!,
    requestedModel: price.model,
    status: failed ? 502 : 200,
    code: failed ? 'upstream_error' : null,
    stream: random() < 0.6,
    attempts: 1,
    promptTokens: prompt,
    cachedTokens: Math.floor(prompt * cachedShare),
    cacheWriteTokens: 0,
    completionTokens: completion,
    reasoningTokens: Math.floor(completion * (random() < 0.2 ? 0.5 : 0)),
    cost: failed ? 0 : cost,
    estimated: random() < 0.05,
    durationMs: duration,
    priceVersion: '2026-11-01',
    firstTokenMs: failed ? null : Math.floor(duration / 4),
    tags: { team: key.project, env: 'prod' },
    detail: {
      a: attemptsOf(failed, duration, random),
      c: { input: (prompt * price.input) / 1e6, output: (completion * price.output) / 1e6 },
    },
  })
}

function attemptsOf(failed: boolean, ms: number, random: () => number): AttemptDetail[] {
  const connect = random() < 0.2 ? Math.floor(20 + random() * 60) : null
  const outcome = failed ? 'server_error' : 'answered'
  const reason = failed ? 'The model is overloaded.' : null
  return [[null, null, null, outcome, failed ? 503 : 200, null, connect, Math.floor(ms / 5), ms, reason]]
}

/** Everything that callers and providers can write, as an attacker of the console would write it. */
function hostileLine(keys: readonly Key[]): LedgerLine {
  const key = keys.at(-1)!
  return ledgerLine({
    id: 'req_hostile',
    at: Date.now() - 30_000,
    keyId: key.id,
    ownerId: 'search',
    project: 'search',
    organization: 'default',
    endpoint: 'chat',
    model: `openai/${HOSTILE}`,
    provider: HOSTILE,
    requestedModel: `fast ${HOSTILE}`,
    status: 502,
    code: 'upstream_error',
    stream: true,
    attempts: 2,
    tags: { [HOSTILE]: HOSTILE },
    endUser: HOSTILE,
    promptTokens: 812,
    cost: null,
    durationMs: 1_480,
    detail: {
      a: [
        [HOSTILE, 'openai', HOSTILE, 'server_error', 500, HOSTILE, 12, 320, 410, `no capacity ${HOSTILE}`],
        [null, null, null, 'timeout', null, null, null, null, 1_070, HOSTILE],
      ],
      n: [[HOSTILE, 'dropped', HOSTILE]],
      h: [[HOSTILE, 'pre', 3, 1, [HOSTILE]]],
      c: { [HOSTILE]: 0.001 },
      l: [[HOSTILE, 'usd', 1]],
    },
  })
}
