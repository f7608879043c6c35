import { guardedBody } from '../../calls/guardrails/guarded-body.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { type Tokens, toTokens } from '../../money/billing/token-buckets.ts'
import { costOfWork, type Work } from '../../money/billing/work-price.ts'
import { unitPrice } from '../../platform/catalog/task-prices.ts'
import { runCall } from '../../calls/attempts/run-call.ts'
import { type Call, knownCost } from '../../calls/call.ts'
import type { Bill } from '../../calls/order.ts'
import { slotForLarge } from '../../calls/large-work.ts'
import { type RerankReply, RerankRequest } from '../../contract/cohere/rerank.ts'
import type { Ranking, RerankCall } from '../../translation/dialects/rerank-wires/rerank-codec.ts'
import { GATEWAY_FIELDS } from '../../translation/dialects/request/gateway-fields.ts'
import { RERANK_WIRES, rerankWireOf } from '../../translation/dialects/rerank-wires/index.ts'
import { canEmbed } from '../embeddings/ask-for-vectors.ts'
import { completed } from '../../calls/routing/alias-defaults.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { isCustomized } from '../../calls/upstream/customized.ts'
import { askOnce, type Endpoint, type Exchange, planOf, type TargetReply } from '../../calls/upstream/endpoint-plan.ts'
import { unknownTo } from '../../calls/upstream/unknown-fields.ts'
import type { Note } from '../../translation/dialects/chat-codec.ts'
import { governFields } from '../../calls/upstream/governed-fields.ts'
import { documentTexts } from './document-texts.ts'
import { rankByEngine, rankByVectors } from './rank-by-vectors.ts'
import { likelyRerankBill, rerankWorstCase } from './rerank-worst-case.ts'
import { simulatedRanking } from './rerank-simulated.ts'
import { MB } from '../../base/units/units.ts'
import { keepWritten } from '../../translation/json/written-numbers.ts'

const MAX_ANSWER_BYTES = 16 * MB
/** Fields that only the gateway reads. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...['model', 'query', 'documents', 'top_n', 'return_documents', 'rank_fields', 'user', 'metadata'],
  ...GATEWAY_FIELDS,
])

/** Sorts documents by their relevance to a query. */
export function rerank(body: RerankRequest, call: Call, services: CallServices): Promise<RerankReply> {
  const plan = async () => planOf(reranking(await guardedBody(body, call, services), call, services), call, services)
  return runCall(plan, call, services)
}

function reranking(
  body: RerankRequest,
  call: Call,
  services: Pick<CallServices, 'loopSlot' | 'newId'>,
): Endpoint<Ranking, RerankReply> {
  const documents = documentTexts(body)
  return {
    model: body.model,
    fallbacks: body.fallbacks,
    kinds: ['rerank', 'embedding'],
    endpoint: 'rerank',
    isCustomized: () => isCustomized(body, RerankRequest),
    speaks: (target) => wayOf(target) !== undefined,
    worstCase: (target) => rerankWorstCase(body, documents, target),
    ask: (attempt) => rank(body, documents, attempt),
    notesFor: (target) => notesOf(callOf(body, documents), target),
    present: async (answered) => {
      await slotForLarge(call, services)
      return present(answered, body, call, services)
    },
  }
}

async function rank(body: RerankRequest, documents: readonly string[], attempt: ChatAttempt): Promise<Ranking> {
  const { target, call, services } = attempt
  const input = callOf(completed(body, target), documents)
  const slot = () => slotForLarge(call, services)
  const way = wayOf(target)
  if (way === 'vectors' && !target.provider.simulated) return await rankByVectors(input, attempt, slot)
  return await askOnce<Ranking>(attempt, {
    likelyBill: () => likelyRerankBill(body, documents, target),
    ask: (exchange) =>
      way === 'engine'
        ? rankByEngine(input, exchange, slot)
        : rankByWire(input, body.extra_headers ?? {}, target, exchange),
    simulate: () => simulatedRanking(body.query, documents),
    billOf: (ranking) => billOf(ranking, target),
  })
}

/**
 * How a target sorts documents: by its rerank endpoint, by vectors, or not at all. A model that the catalog does not know
 * may be of either kind.
 */
function wayOf({ provider, entry }: ChatTarget): 'wire' | 'engine' | 'vectors' | undefined {
  const wire = rerankWireOf(provider)
  if (wire && entry?.type !== 'embedding') return wire === 'engine' ? 'engine' : 'wire'
  return entry?.type !== 'rerank' && canEmbed(provider) ? 'vectors' : undefined
}

function callOf(body: RerankRequest, documents: readonly string[]): RerankCall {
  const rest = Object.entries(body).filter(([field, value]) => value != null && !OWN_FIELDS.has(field))
  return {
    query: body.query,
    documents,
    topN: body.top_n ?? undefined,
    extra: keepWritten(Object.fromEntries(rest), body),
  }
}

/** Asks for the ranking at the provider's own rerank endpoint. */
async function rankByWire(
  input: RerankCall,
  headers: Record<string, string>,
  target: ChatTarget,
  exchange: Exchange,
): Promise<Ranking> {
  const { provider } = target
  const codec = RERANK_WIRES[rerankWireOf(provider) as keyof typeof RERANK_WIRES]
  const governed = governFields(input.extra, RerankRequest.properties, provider)
  const wire = codec.encode(governed ? { ...input, extra: governed.fields } : input, target)
  for (const name in headers) wire.headers[name.toLowerCase()] ??= headers[name]!
  const response = await exchange.send(wire, codec.problem)
  return codec.decode(await exchange.read(response, MAX_ANSWER_BYTES), input.documents.length)
}

const BY_VECTORS = 'an embedding model ranks by the similarity of vectors and does not have this field'

function notesOf({ extra }: RerankCall, target: ChatTarget): readonly Note[] {
  if (wayOf(target) === 'vectors') return unknownTo(extra, NONE, BY_VECTORS)
  return governFields(extra, RerankRequest.properties, target.provider)?.notes ?? []
}

const NONE: ReadonlySet<string> = new Set()

/** Bills searches or tokens, whichever the catalog has a price for. */
function billOf({ tokens, searchUnits }: Ranking, target: ChatTarget): Bill {
  const counted = tokens === undefined ? null : tokensOf(tokens)
  const cost = costOfRanking({ units: searchUnits, tokens: counted }, target)
  return { cost, tokens: counted, ...(searchUnits !== undefined && { basis: { searches: searchUnits } }) }
}

function costOfRanking(work: Work, target: ChatTarget) {
  const { provider, entry } = target
  return provider.simulated || provider.free ? 0 : costOfWork(entry, work, unitPrice(target, 'search'))
}

function tokensOf(count: number): Tokens {
  return toTokens({ prompt_tokens: count, completion_tokens: 0, total_tokens: count })
}

function present(
  { target, reply }: TargetReply<Ranking>,
  { documents, top_n, return_documents }: RerankRequest,
  call: Call,
  services: Pick<CallServices, 'newId'>,
): RerankReply {
  const { tokens, searchUnits } = reply
  const best = reply.results.toSorted((one, other) => other.score - one.score).slice(0, top_n ?? undefined)
  const results = best.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(return_documents && { document: asObject(documents[index]!) }),
  }))
  const searches = searchUnits !== undefined && { search_units: searchUnits }
  return {
    id: reply.id ?? `rerank-${services.newId()}`,
    object: 'list',
    model: target.id,
    results,
    usage: { ...(tokens !== undefined && { total_tokens: tokens }), ...searches },
    meta: { billed_units: { ...(tokens !== undefined && { input_tokens: tokens }), ...searches } },
    cost: knownCost(call),
    provider: target.provider.id,
  }
}

function asObject(document: RerankRequest['documents'][number]): Record<string, unknown> {
  return typeof document === 'string' ? { text: document } : document
}
