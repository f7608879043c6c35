import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RequestLine } from '../../../src/contract/admin/requests.ts'
import type { Database } from '../../../src/platform/store/database.ts'
import { silence } from '../../fakes/behaviours.ts'
import { memoryFolder } from '../../fakes/memory-folder.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { startFakeProvider } from '../../fakes/provider.ts'
import { stream } from '../../fakes/stream.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

// The data folder is copied while calls are in flight, and a gateway starts on the copy: it finds what a kill would have left.
// test/soak/killed-calls.ts kills processes.

const CALLS = {
  chat: ['chat/completions', { model: 'openai/gpt-4.1-nano', messages: [{ role: 'user', content: 'Hello' }] }],
  stream: [
    'chat/completions',
    { model: 'openai/gpt-4.1-nano', messages: [{ role: 'user', content: 'Hello' }], stream: true },
  ],
  image: ['images/generations', { model: 'openai/gpt-image-2', prompt: 'a gate' }],
  speech: ['audio/speech', { model: 'openai/tts-1', input: 'Hello', voice: 'alloy' }],
  // Another execution asks again, and what this one asked for has to be paid all the same.
  job: ['universal-ai/async', { model: 'text/summarize/openai/gpt-4.1-nano', input: { text: 'Hello' } }],
  background: ['responses', { model: 'openai/gpt-4.1-nano', input: 'Hello', background: true }],
} as const
const NEVER = new Promise<void>(() => {})

type Shown = { spent: number; lost: number }
type Listed = { items: RequestLine[] }

test('calls in flight at a kill have one line each, marked as interrupted and estimated, and the budget counts them', async () => {
  await using closing = new AsyncDisposableStack()
  const folder = await mkdtemp(join(memoryFolder(), 'gatehouse-interrupted-'))
  closing.defer(() => rm(folder, { recursive: true }))
  const fake = await startFakeProvider({ everyPath: true })
  closing.defer(fake.close)
  const config = join(folder, 'gatehouse.config.json')
  const budget = { id: 'all', appliesTo: 'all', limit: 100, window: 'total', onExceeded: 'refuse' }
  await writeFile(config, JSON.stringify({ budgets: [budget] }))
  const env = { GATEHOUSE_CONFIG: config, OPENAI_BASE_URL: fake.url, OPENAI_API_KEY: 'sk-x' }
  const killed = await startGateway({ env, dataDir: join(folder, 'killed'), overrides: { drainMs: 0, jobGraceMs: 0 } })
  closing.defer(killed.close)
  const leaving = new AbortController()
  const answers: Promise<unknown>[] = []
  for (const [name, [path, body]] of Object.entries(CALLS)) {
    fake.next(name === 'stream' ? stream(textEvents('one two three'), { waitFor: NEVER, waitAfter: 2 }) : silence())
    answers.push(ask(killed.url, path, { name, body, signal: leaving.signal }).catch(() => undefined))
    await fake.request(answers.length - 1)
  }
  const { inFlight, ledger, db } = killed.gateway.services.calls
  while (inFlight.count < answers.length) inFlight.round()
  await ledger.flush()
  const leased = await leasesIn(db)
  await cp(join(folder, 'killed'), join(folder, 'next'), { recursive: true })

  const next = await startGateway({ env, dataDir: join(folder, 'next') })
  closing.defer(next.close)
  await next.gateway.services.calls.ledger.flush()
  const admin = adminClient(next.adminUrl)
  const { items } = (await admin.get<Listed>('/admin/requests')).body
  const seen = items.map((line) => [line.tags?.name, line.status, line.code, line.estimated, line.cost! > 0])
  const expected = Object.keys(CALLS).map((name) => [name, 500, 'interrupted', true, true])
  assert.deepEqual(seen.sort(), expected.sort())
  const { spent, lost } = (await admin.get<Shown>('/admin/budgets/all')).body
  assert.ok(Math.abs(spent - items.reduce((sum, { cost }) => sum + cost!, 0)) < 1e-8, String(spent))
  // What the lines have cost is no longer in the lease of the process that was killed.
  assert.deepEqual([lost, await leasesIn(next.gateway.services.calls.db)], [0, leased - Math.round(spent * 1e9)])

  // In the gateway that was not killed, the same calls end as they do otherwise.
  leaving.abort()
  await Promise.all(answers)
})

async function leasesIn(db: Database): Promise<number> {
  const [row] = await db.query<{ held: number }>('SELECT SUM(granted) AS held FROM limit_leases')
  return Number(row!.held)
}

async function ask(
  url: string,
  path: string,
  { name, body, signal }: { name: string; body: object; signal: AbortSignal },
) {
  const headers = {
    authorization: `Bearer ${API_KEY}`,
    'content-type': 'application/json',
    'x-gatehouse-tags': `name=${name}`,
  }
  const response = await fetch(`${url}/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal })
  await response.arrayBuffer()
}
