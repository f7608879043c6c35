import type { Fields } from '../../../base/schema/record.ts'
import type { WireRequest } from '../../wire/wire.ts'
import type { Target } from '../chat-codec.ts'
import { problem as cohereProblem } from '../cohere/problem.ts'
import { problem } from '../openai/problem.ts'
import type { RerankCall, RerankCodec } from './rerank-codec.ts'
import { rankingIn } from './ranking-in.ts'
import { writeJson } from '../../json/written-numbers.ts'

// https://docs.cohere.com/reference/rerank
const cohere: RerankCodec = {
  encode: (call, target) => request(call, target, { top_n: call.topN }),
  decode: rankingIn,
  problem: cohereProblem,
}

// https://api.jina.ai/redoc: it returns the documents unless it is told not to. Local servers copy this format.
const jina: RerankCodec = {
  encode: (call, target) => request(call, target, { top_n: call.topN, return_documents: false }),
  decode: rankingIn,
  problem,
}

// https://docs.voyageai.com/reference/reranker-api
const voyage: RerankCodec = {
  encode: (call, target) => request(call, target, { top_k: call.topN }),
  decode: rankingIn,
  problem,
}

/** Rerank wire formats by name. The row of a provider names its format. */
export const RERANK_WIRES = { cohere, jina, voyage } satisfies Record<string, RerankCodec>

export type RerankWire = keyof typeof RERANK_WIRES

/** How a provider reranks: in its own wire format or that of its dialect. Undefined if it does not. */
export function rerankWireOf({ rerank, dialect }: { rerank?: RerankWire | 'engine'; dialect?: string }) {
  return rerank ?? (dialect && Object.hasOwn(RERANK_WIRES, dialect) ? (dialect as RerankWire) : undefined)
}

/** Undefined members are dropped. */
function request({ query, documents, extra }: RerankCall, { baseUrl, model }: Target, own: Fields): WireRequest {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const body = writeJson({ ...extra, ...own, model, query, documents }, extra)
  return { method: 'POST', url: `${baseUrl}/rerank`, headers, body }
}
