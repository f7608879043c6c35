import { createHash } from 'node:crypto'
import { keepsNothing } from '../../tenants/access/policy.ts'
import { costOf, inputOf, NO_TOKENS } from '../../money/billing/token-buckets.ts'
import { newCall } from '../call.ts'
import { lineOf } from '../close-call.ts'
import type { ContentCache } from '../content-caches.ts'
import { type Bill, Order } from '../order.ts'
import type { Spending } from '../spending.ts'
import type { Attachments } from '../files/attachments.ts'
import type { CachePlan, Note } from '../../translation/dialects/chat-codec.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { readText } from '../../platform/net/read-text.ts'
import type { ChatAttempt, ChatTarget } from '../routing/chat-targets.ts'
import { isRecord, readCount, recordOf, textOf } from '../../base/schema/record.ts'
import { CHARS_PER_TOKEN } from '../../translation/wire/chars-per-token.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { newSendReport, type SendOptions, type WireRequest, type WireResponse } from '../../translation/wire/wire.ts'
import { authorize } from './authorize.ts'
import { orAborted } from '../or-aborted.ts'
import { MB, HOUR_SECONDS } from '../../base/units/units.ts'

// A block of content that the provider keeps is created once, and named in later requests. Nothing here fails a call: without
// the block, the request is sent as a whole.

/** Creating a block does not end with the call that needed it first: others wait for it, and it has to be paid. */
const CREATION_MS = 60_000
const MAX_REPLY_BYTES = MB

const NOT_CREATED: Note = {
  field: 'cache_control',
  action: 'dropped',
  reason: 'the provider did not keep the content: the request was sent as a whole',
}

const AGAINST_POLICY: Note = { ...NOT_CREATED, reason: "the data policy 'zero_retention' allows no content to be kept" }

/** A block that is gone is not found, or not permitted; other refusals name it. */
const GONE: ReadonlySet<number> = new Set([403, 404])
const REFUSED: ReadonlySet<number> = new Set([...GONE, 400])

type Planned = { wire: WireRequest; plan: CachePlan; signal: AbortSignal; attachments: Attachments | undefined }
type SendWire = (wire: WireRequest) => Promise<WireResponse>

/** Sends a request with the name of its block. If the provider does not know the block any more, sends it as a whole. */
export async function sendWithCache(
  attempt: ChatAttempt,
  { wire, plan, signal, attachments }: Planned,
  send: SendWire,
): Promise<WireResponse> {
  const mayKeep = !keepsNothing(attempt.call.caller.policy)
  const found = mayKeep ? await findCache(attempt, { plan, signal, attachments }) : undefined
  if (!found) {
    attempt.call.record.note([mayKeep ? NOT_CREATED : AGAINST_POLICY])
    return send(wire)
  }
  const response = await send({ ...wire, body: plan.using(found.name) })
  if (!REFUSED.has(response.status)) return response
  const text = await readText(response.body, MAX_REPLY_BYTES).catch(() => '')
  if (!GONE.has(response.status) && !/cached_?\s?content/i.test(text)) return { ...response, body: bodyOf(text) }
  found.forget()
  attempt.call.record.note([NOT_CREATED])
  return send(wire)
}

/** A body that has been read, to be read again. */
async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

type Found = { name: string; forget(): void }

async function findCache(
  attempt: ChatAttempt,
  { plan, signal, attachments }: Omit<Planned, 'wire'>,
): Promise<Found | undefined> {
  const { call, services, credential, target } = attempt
  const { owner } = call.caller
  const create = attachments?.fill(plan.create) ?? plan.create
  const key = `${target.provider.id} ${credential.index} ${await hashOf(create)}`
  const entry = services.contentCaches.findOrCreate(owner, key, plan.seconds, () =>
    createCache(attempt, create, plan.seconds),
  )
  const cache = await orAborted(entry.coming, signal).catch((reason) => {
    void entry.coming.then((made) => made && !entry.isPaid && payLate(attempt, made, entry))
    throw reason
  })
  if (!cache) return undefined
  if (!entry.isPaid) pay(call.spending, cache, attempt)
  entry.isPaid = true
  return cache.name === undefined
    ? undefined
    : { name: cache.name, forget: () => services.contentCaches.forget(owner, key) }
}

/** The address has the project, and the body has the model. */
async function hashOf({ url, body, source }: WireRequest): Promise<string> {
  const hash = createHash('sha256').update(`${url}\n`)
  if (source) for await (const chunk of source.read()) hash.update(chunk)
  else hash.update(body ?? '')
  return hash.digest('hex')
}

/** Throws if the provider has refused. If it is not known whether the provider has made the block, it has no name, and is paid. */
async function createCache(attempt: ChatAttempt, create: WireRequest, seconds: number): Promise<ContentCache> {
  const { target, orderedModel: model, key } = attempt
  const signal = AbortSignal.timeout(CREATION_MS)
  const unsure = { name: undefined, tokens: mostTokens(create), seconds }
  const order = new Order({ model, attempt: key, terms: {}, signal, likelyBill: () => billOf(unsure, target) })
  try {
    return await askForCache(attempt, create, seconds, { signal, report: order.report })
  } catch (error) {
    order.failed(error)
    if (order.end === 'left') return unsure
    throw error
  }
}

async function askForCache(
  { target, credential, call, services }: ChatAttempt,
  create: WireRequest,
  seconds: number,
  exchange: Pick<SendOptions, 'signal' | 'report'>,
): Promise<ContentCache> {
  const signed = await authorize({ ...create, headers: { ...create.headers } }, target.provider, credential, services)
  const timeouts = { ...target.timeouts, headersMs: CREATION_MS }
  const response = await services.send(signed, { ...exchange, timeouts, owner: call.caller.owner })
  const text = await readText(response.body, MAX_REPLY_BYTES)
  if (response.status !== 200) throw new UpstreamProblem('rejected', 'it was not created', { status: response.status })
  const reply = tryParse(text)
  if (!isRecord(reply) || !textOf(reply.name)) throw new Error('the provider does not say what it has created')
  return { name: textOf(reply.name), tokens: readCount(recordOf(reply.usageMetadata).totalTokenCount) ?? 0, seconds }
}

function mostTokens({ body, source }: WireRequest): number {
  return Math.ceil((source?.length ?? body?.length ?? 0) / CHARS_PER_TOKEN)
}

/** The call has ended before its block was there, so the cost of the block gets a line of its own in the ledger. */
function payLate(attempt: ChatAttempt, cache: ContentCache, entry: { isPaid: boolean }): void {
  entry.isPaid = true
  const { call, orderedModel, services } = attempt
  const { caller, endpoint, startedAt, signal, wantsMetadata, record, spending } = call
  const id = `${call.id}-cache-${record.attempts.length}`
  const late = newCall({ id, caller, endpoint, startedAt, signal, wantsMetadata, labels: record.labels })
  late.record.asks(orderedModel)
  pay(late.spending, cache, attempt)
  const { cost, tokens } = late.spending.total
  const provider = orderedModel.provider.id
  const use = { model: orderedModel.id, provider, cost, inputTokens: tokens ? inputOf(tokens) : 0, outputTokens: 0 }
  const charges = spending.reservation?.chargesOfMore(use) ?? null
  services.ledger.record({ ...lineOf(late, services), charges })
  services.metrics.spent(provider, orderedModel.id, null, cost)
}

/** What a call has to pay for a block that was created for it, or that may have been, to the limits of the attempt. */
function pay(spending: Spending, cache: ContentCache, { target, orderedModel: model, key }: ChatAttempt): void {
  const report = { ...newSendReport(), isWritten: true }
  const order = spending.order({ model, attempt: key, likelyBill: () => billOf(cache, target) }, report)
  if (cache.name === undefined) order.left()
  else order.delivered(billOf(cache, target))
}

/** The call that first uses a block pays for writing and storing it. Without a price for storage, its cost is unknown. */
function billOf({ tokens, seconds }: ContentCache, { entry }: ChatTarget): Bill {
  const price = entry?.price
  const written = { ...NO_TOKENS, cacheWrite: tokens }
  const ofTokens = costOf(written, price)
  const ofStorage = ((price?.cacheStorage ?? 0) * tokens * (seconds / HOUR_SECONDS)) / 1_000_000
  return {
    cost: ofTokens === null ? null : ofTokens + ofStorage,
    tokens: written,
    isPartial: tokens === 0 || price?.cacheStorage === undefined,
    basis: { cacheStoredTokens: tokens },
  }
}
