import type { Model } from '../../platform/catalog/catalog.ts'
import { atBatchPrice } from '../../money/billing/batch-price.ts'
import { bucketCosts, costOf, NO_TOKENS, type Tokens } from '../../money/billing/token-buckets.ts'
import type { AttemptDetail, RequestDetail } from '../../platform/store/ledger/request-detail.ts'
import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import { HOUR_MS } from '../../base/units/units.ts'
import { ALIASES, type AliasName } from './aliases.ts'
import type { Demo } from './demo.ts'
import { BATCH_TIER } from '../../jobs/batches/take-results.ts'
import { guardrailsOf } from './guardrails.ts'
import type { Failed, DemoOutcome } from './outcomes.ts'
import type { Source } from './traffic.ts'

/** Milliseconds to the first token, and tokens per second, as people know them of these providers. */
const SPEEDS: Record<string, { first: number; perSecond: number }> = {
  openai: { first: 520, perSecond: 95 },
  anthropic: { first: 780, perSecond: 72 },
  google: { first: 430, perSecond: 170 },
  mistral: { first: 310, perSecond: 115 },
  groq: { first: 160, perSecond: 420 },
}

/** `batch`: the id of the batch that it is a line of. */
export type Drawn = { source: Source; outcome: DemoOutcome; at: number; batch?: string }
type DrawnCall = Drawn & { model: Model; tokens: Tokens }

/** The ledger line of a call with what the request log shows beside it. */
export function lineOf(drawn: Drawn, demo: Demo): LedgerLine {
  const { source, outcome } = drawn
  const key = demo.keys.get(source.key)!
  const models = modelsOf(source.asks)
  const others = outcome.before.filter(({ same }) => !same).length
  const listed = modelNamed(models[Math.min(others, models.length - 1)]!, demo)
  const model = drawn.batch === undefined ? listed : inBatch(listed, demo)
  const tokens = tokensOf(drawn, demo)
  const call = { ...drawn, model, tokens }
  const { spent, ...times } = timesOf(call, demo)
  const line = {
    id: `req_${demo.random.uuid().replaceAll('-', '')}`,
    at: drawn.at,
    keyId: key.id,
    ownerKind: key.ownerKind,
    ownerId: key.ownerId,
    endpoint: source.endpoint,
    status: outcome.status,
    code: outcome.code,
    user: key.user,
    organization: key.organization,
    project: key.project,
    requestedModel: source.asks,
    tags: source.tags,
    ...originOf(drawn),
    ...(drawn.batch !== undefined && { batchId: drawn.batch, tier: BATCH_TIER }),
    endUser: endUserOf(source, demo),
    providerCost: null,
    moreTokens: null,
    ...times,
    ...(outcome.last === undefined ? NOT_ASKED : paid(call, attemptsOf(call, models, { spent, ...times }, demo), demo)),
  }
  return { ...line, ...guardrailsOf(line, demo.random) }
}

const NOT_ASKED = {
  model: '',
  provider: '',
  attempts: 0,
  cost: 0,
  estimated: false,
  priceVersion: null,
  stream: false,
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  detail: null,
}

function paid({ source, outcome, model, tokens }: DrawnCall, attempts: AttemptDetail[], { random }: Demo) {
  const isFree = source.key.includes('staging') || tokens === NO_TOKENS
  const detail: RequestDetail = {
    a: attempts,
    ...(random.isTrue(0.05) && { n: [NOTE] }),
    ...(source.key === 'support bot' && { h: [['redact_pii', 'pre', random.whole(1, 4), random.isTrue(0.3) ? 1 : 0]] }),
    ...(!isFree && { c: bucketCosts(tokens, model.price) }),
  }
  return {
    model: `${model.provider}/${model.id}`,
    provider: model.provider,
    attempts: attempts.length,
    detail,
    stream: random.isTrue(source.streams),
    cost: isFree ? 0 : costOf(tokens, model.price),
    estimated: outcome.status === 499,
    priceVersion: model.checked ?? null,
    promptTokens: tokens.plainInput + tokens.cacheRead,
    cachedTokens: tokens.cacheRead,
    cacheWriteTokens: 0,
    completionTokens: tokens.plainOutput + tokens.reasoning,
    reasoningTokens: tokens.reasoning,
  }
}

const NOTE: [string, string, string] = ['seed', 'dropped', 'The provider has no such field.']

/** A provider that fails reads nothing that has to be paid for. */
function tokensOf({ source, outcome }: Drawn, { random }: Demo): Tokens {
  if (outcome.last && outcome.status !== 499) return NO_TOKENS
  const read = random.skewed(source.reads)
  const cacheRead = Math.floor(read * source.cached * random.next())
  const written = source.writes === 0 ? 0 : random.skewed(source.writes)
  const reasoning = source.asks === 'smart' ? Math.floor(written * random.between(0, 0.4)) : 0
  return { ...NO_TOKENS, plainInput: read - cacheRead, cacheRead, plainOutput: written - reasoning, reasoning }
}

function timesOf({ model, tokens, outcome, source }: DrawnCall, { random }: Demo) {
  const spent = outcome.before.map(() => random.whole(80, 600))
  if (outcome.last === undefined) return { spent, durationMs: random.whole(1, 4), firstTokenMs: null }
  const { first, perSecond } = SPEEDS[model.provider]!
  const waited = spent.reduce((sum, ms) => sum + ms, 0) + (outcome.status === 504 ? 60_000 : 0)
  const firstTokenMs = waited + random.skewed(source.endpoint === 'chat' ? first : first / 4)
  const writing = Math.round(((tokens.plainOutput + tokens.reasoning) / perSecond) * 1_000 * random.between(0.7, 1.4))
  return {
    spent,
    durationMs: firstTokenMs + writing,
    firstTokenMs: source.streams > 0.5 && !outcome.last ? firstTokenMs : null,
  }
}

type Times = { spent: readonly number[]; durationMs: number; firstTokenMs: number | null }

/** The first byte of an answer comes before its first token. */
function attemptsOf({ outcome }: DrawnCall, models: readonly string[], times: Times, { random }: Demo) {
  const { spent, durationMs, firstTokenMs } = times
  const failed = outcome.before.map((one, index) => {
    const name = one.same ? null : models[Math.min(index, models.length - 1)]!
    return attempt(name, one, { ms: spent[index]!, firstByteMs: spent[index]! * 0.6 })
  })
  const before = spent.reduce((sum, ms) => sum + ms, 0)
  const ms = Math.max(1, durationMs - before)
  const firstByteMs = firstTokenMs === null ? ms * 0.6 : (firstTokenMs - before) * random.between(0.85, 0.98)
  const last = outcome.last ?? { outcome: 'answered', status: 200, reason: '' }
  return [...failed, attempt(null, last, { ms, firstByteMs })]

  function attempt(model: string | null, { outcome, status, reason }: Failed, took: Took): AttemptDetail {
    const upstream = status === null ? null : `up_${random.uuid().slice(0, 13)}`
    const connect = random.isTrue(0.1) ? random.whole(8, 60) : null
    const provider = model === null ? null : model.split('/')[0]!
    const firstByte = status === null ? null : Math.round(took.firstByteMs)
    return [model, provider, null, outcome, status, upstream, connect, firstByte, took.ms, reason || null]
  }
}

type Took = { ms: number; firstByteMs: number }

function endUserOf({ endUsers }: Source, { random }: Demo): string | null {
  return endUsers === 0 ? null : `customer-${1 + Math.floor(random.next() ** 2 * endUsers)}`
}

/** A session of an agent lasts for some hours. */
function originOf({ source: { key, client }, at }: Drawn) {
  const session = client === null ? null : `${key}-${Math.floor(at / SESSION_MS)}`
  return { session, agent: null, parentAgent: null, client }
}

const SESSION_MS = 2 * HOUR_MS

export function modelsOf(name: Source['asks']): readonly string[] {
  return Object.hasOwn(ALIASES, name) ? ALIASES[name as AliasName] : [name]
}

/** At the price of its provider's batches. */
function inBatch(model: Model, { config }: Demo): Model {
  const api = config.providers[model.provider]?.batches
  return (api && atBatchPrice(model, api)) ?? model
}

function modelNamed(name: string, { catalog }: Demo): Model {
  const [provider, ...id] = name.split('/')
  const found = catalog.find(provider!, id.join('/'))
  if (!found) throw new Error(`The catalog has no model ${name}, which the demo shows`)
  return found
}
