import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { PROVIDERS } from '../../src/platform/providers/providers.ts'
import type { LedgerLine } from '../../src/platform/store/ledger/ledger-line.ts'
import { adminClient } from '../gateway/admin-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { idle } from '../gateway/gateway-with-fakes.ts'
import { rowPerDialect } from '../gateway/gateway-with-rows.ts'
import { noonClock } from '../fakes/noon-clock.ts'
import { type FakeProvider, type SeenRequest, startFakeProvider } from '../fakes/provider.ts'
import type { PinnedCase } from './cases.ts'

// Records what a call does: what its caller got, what its provider got, and what was booked. Ids, times and lengths of time
// are replaced, so that two runs of the same program give the same record.

/** What one call did. */
export type PinnedCall = {
  caller: { status: number | 'left'; headers: Record<string, string>; body: string }
  provider: { request: string; body: string }[]
  booked: { lines: Record<string, unknown>[]; metrics: Record<string, number> }
}

export type PinnedGateway = {
  record(pinned: PinnedCase): Promise<PinnedCall>
  close(): Promise<void>
}

const MODELS = [
  { id: 'm', price: { input: 1, output: 2 } },
  { id: 'other', price: { input: 10, output: 20 } },
]
const LIMITS = {
  budgets: [
    { id: 'money', appliesTo: 'all', limit: 100_000, window: 'month' },
    { id: 'of-other', appliesTo: 'all', limit: 100_000, window: 'month', models: ['*/other'] },
    { id: 'poor', appliesTo: 'project:poor', limit: 0.000000001, window: 'month' },
  ],
  rateLimits: [
    { id: 'tokens', appliesTo: 'all', unit: 'tokens', limit: 1_000_000_000, window: 'day' },
    { id: 'requests', appliesTo: 'all', unit: 'requests', limit: 1_000_000, window: 'day' },
  ],
}

export async function startPinnedGateway(): Promise<PinnedGateway> {
  const provider = await startFakeProvider({ everyPath: true })
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pinned-'))
  const file = join(folder, 'gatehouse.config.json')
  const rows = rowPerDialect({ baseUrl: provider.url, models: MODELS })
  await writeFile(file, JSON.stringify({ providers: { ...rows, openai: { responses: true } }, ...LIMITS }))
  const settings = Object.assign({}, ...Object.keys(PROVIDERS).map((id) => settingsOf(id, provider.url)))
  const env = { ...settings, AWS_SECRET_ACCESS_KEY: 'x', ALLOW_NETWORKS: '127.0.0.0/8', GATEHOUSE_CONFIG: file }
  const gateway = await startGateway({ env, overrides: { now: noonClock() }, dataDir: join(folder, 'data') })
  // No speed of a model is known, so that what a caller pays who leaves does not depend on the clock.
  gateway.gateway.services.calls.observations.fastestOf = () => undefined
  const lines = watchLedger(gateway)
  const poorKey = await spentKey(gateway)
  return {
    record: (pinned) => recordCall({ gateway, provider, lines, poorKey }, pinned),
    close: async () => {
      await gateway.close()
      await provider.close()
      await rm(folder, { recursive: true })
    },
  }
}

type Scene = { gateway: GatewayUnderTest; provider: FakeProvider; lines: LedgerLine[]; poorKey: string }

async function recordCall(scene: Scene, pinned: PinnedCase): Promise<PinnedCall> {
  const { gateway, provider, lines } = scene
  provider.reset()
  for (const behaviour of pinned.scenario.provider(pinned.exchange)) provider.next(behaviour)
  lines.length = 0
  const before = countersOf(gateway)
  const caller = await send(scene, pinned)
  await Promise.all(provider.requests.map(({ closed }) => closed))
  await idle(gateway)
  return {
    caller,
    provider: provider.requests.map(asRecorded),
    booked: { lines: lines.map(bookedOf), metrics: steady(lines, differences(before, countersOf(gateway))) },
  }
}

async function send({ gateway, provider, poorKey }: Scene, pinned: PinnedCase): Promise<PinnedCall['caller']> {
  const { exchange, scenario } = pinned
  const key = scenario.isPoor ? poorKey : API_KEY
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'x-gatehouse-metadata': 'enabled',
    'x-gatehouse-tags': 'team=blue',
  }
  const body = JSON.stringify({ ...exchange.body, ...scenario.body })
  const leaving = new AbortController()
  const sent = fetch(gateway.url + exchange.path, { method: 'POST', headers, body, signal: leaving.signal })
  if (scenario.leavesAfter !== undefined) return await leave(provider, scenario.leavesAfter, { sent, leaving })
  const response = await sent
  // A stream that failed ends without its last chunk.
  const text = await readAll(response)
  const result = isJob(pinned) ? await resultOf({ gateway }, pinned, text) : ''
  return { status: response.status, headers: shown(response.headers), body: stable(text + result) }
}

function isJob({ exchange: { path, body } }: PinnedCase): boolean {
  return path.endsWith('/async') || (body as { background?: boolean }).background === true
}

const RUNNING = /"status":\s*"(processing|queued|in_progress)"/
const POLL_MS = 10

/** What the job has become, when it is over. */
async function resultOf(
  { gateway }: Pick<Scene, 'gateway'>,
  { exchange: { path } }: PinnedCase,
  submitted: string,
): Promise<string> {
  const id = /"(?:job_id|id)":\s*"([^"]+)"/.exec(submitted)?.[1]
  if (id === undefined || !RUNNING.test(submitted)) return ''
  for (;;) {
    const response = await fetch(`${gateway.url}${path}/${id}`, { headers: { authorization: `Bearer ${API_KEY}` } })
    const text = await response.text()
    if (response.status !== 200 || !RUNNING.test(text)) return `\n${text}`
    await setTimeout(POLL_MS)
  }
}

type Sent = { sent: Promise<Response>; leaving: AbortController }

/** Leaves as soon as the provider has got the request, or was never asked. What arrived until then depends on the clock. */
async function leave(provider: FakeProvider, requests: number, { sent, leaving }: Sent): Promise<PinnedCall['caller']> {
  const answered = sent.then(readAll).catch(() => '')
  await Promise.race([provider.request(requests - 1), answered])
  leaving.abort()
  await answered
  return { status: 'left', headers: {}, body: '' }
}

async function readAll(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of response.body ?? []) pieces.push(piece)
  } catch {
    pieces.push(Buffer.from('<cut>'))
  }
  return Buffer.concat(pieces).toString()
}

/** What the calls before have left of the limits, and until when. */
const CHANGING = /^ratelimit$|remaining|reset/
const SHOWN = /^(content-type|retry-after|ratelimit|sunset|x-(gatehouse|ratelimit|should-retry))/

function shown(headers: Headers): Record<string, string> {
  const some = [...headers].filter(([name]) => SHOWN.test(name))
  return Object.fromEntries(some.map(([name, value]) => [name, CHANGING.test(name) ? '*' : stable(value)]))
}

function asRecorded({ method, path, text }: SeenRequest): PinnedCall['provider'][number] {
  return { request: `${method} ${path}`, body: stable(text) }
}

/** What is not the same in two runs: the line's own id and times, and how long something took. */
function bookedOf(line: LedgerLine): Record<string, unknown> {
  const { id, at, durationMs, firstTokenMs, keyId, tags, organization, detail, charges, priceVersion, ...parts } = line
  const { ownerKind: _, ownerId: owner, ...rest } = parts
  const charged = charges?.map(([limit, bucket, , amount]) => [limit, bucket, line.estimated ? '~' : amount])
  const { fallbackFrom, hooks, notes, components, basis } = { ...detail } as Record<string, unknown>
  const known = {
    ...rest,
    owner,
    ...(line.estimated && ESTIMATED),
    charged,
    detail: stable(JSON.stringify({ fallbackFrom, hooks, notes, ...(!line.estimated && { components, basis }) })),
  }
  return Object.fromEntries(
    Object.entries(known).filter(([, value]) => value != null && value !== 0 && value !== false),
  )
}

/** What is estimated of an answer that broke off depends on the time that it took. */
const ESTIMATED = { promptTokens: '~', completionTokens: '~', reasoningTokens: '~', cost: '~' }

const COUNTED = /^(gatehouse_(?!.*(seconds|bytes|_sum|_bucket))\w+_total(?:\{[^}]*\})?) (\S+)$/gm
/** Counts that depend on the connections and caches that calls before have left. */
const UNSTEADY = /journal|key_cache|connections|store_/

function countersOf({ gateway }: GatewayUnderTest): Map<string, number> {
  const found = gateway.services.calls.metrics.write().matchAll(COUNTED)
  return new Map(
    [...found].filter(([, name]) => !UNSTEADY.test(name!)).map(([, name, , value]) => [name!, Number(value)]),
  )
}

function differences(before: Map<string, number>, after: Map<string, number>): Record<string, number> {
  const changed = [...after].filter(([name, value]) => value !== (before.get(name) ?? 0))
  return Object.fromEntries(
    changed.map(([name, value]) => [name, Number((value - (before.get(name) ?? 0)).toPrecision(9))]),
  )
}

function steady(lines: readonly LedgerLine[], metrics: Record<string, number>): Record<string, number> {
  if (!lines.some(({ estimated }) => estimated)) return metrics
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => !/tokens|cost/.test(name)))
}

/** Longer texts are cut, and end with their digest. */
const MAX_CHARS = 160

function stable(text: string): string {
  const steady = text
    .replace(/\b(req|chatcmpl|msg|resp|rs|fc|call|cmpl|gen|item|cmp|toolu|ws|conv)_[\w-]{16,}/g, '$1_*')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '*')
    .replace(/\b(chatcmpl|cmpl|boundary|form)-[\w-]{8,}/gi, '$1-*')
    .replace(/("(?:created|created_at|completed_at|expires_at|at|queued_ms|\w*_ms)":\s*)[\d.]+/g, '$1"*"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '*')
    .replace(/127\.0\.0\.1:\d+/g, '*')
    .replace(/expires=\d+&signature=\w+/g, '*')
    .replace(/(reset[^,;:]*[=:] ?)\d+/g, '$1*')
  if (steady.length <= MAX_CHARS) return steady
  return `${steady.slice(0, MAX_CHARS)}… ${createHash('sha256').update(steady).digest('hex').slice(0, 16)}`
}

function watchLedger({ gateway }: GatewayUnderTest): LedgerLine[] {
  const lines: LedgerLine[] = []
  const { ledger } = gateway.services.calls
  const record = ledger.record.bind(ledger)
  ledger.record = (line) => {
    lines.push(line)
    record(line)
  }
  return lines
}

/** A key of the project whose budget is as good as nothing. */
async function spentKey(gateway: GatewayUnderTest): Promise<string> {
  const { body } = await adminClient(gateway.adminUrl).post<{ key: string }>('/admin/keys', {
    owner: 'poor',
    name: 'poor',
  })
  return body.key
}

/**
 * Every provider is at the address of the fake, but for those whose credential is a file, and for local servers, which are
 * asked for their models now and then.
 */
function settingsOf(id: string, url: string): Record<string, string> {
  const { auth, baseUrl, baseUrlEnv } = PROVIDERS[id]!
  if (!auth.env || auth.env.endsWith('CREDENTIALS') || baseUrl.includes('127.0.0.1')) return {}
  const variable = baseUrlEnv ?? `${auth.env.replace(/_(API_KEY|TOKEN|KEY)$/, '')}_BASE_URL`
  return { [auth.env]: 'key-0123456789', [variable]: url }
}
