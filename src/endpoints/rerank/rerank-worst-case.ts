import { costOfWork } from '../../money/billing/work-price.ts'
import { unitPrice } from '../../platform/catalog/task-prices.ts'
import type { Bill } from '../../calls/order.ts'
import { RerankRequest } from '../../contract/cohere/rerank.ts'
import { fixedCost, type WorstCase } from '../../money/limits/worst-case.ts'
import type { ChatTarget } from '../../calls/routing/chat-targets.ts'
import { CHARS_PER_TOKEN } from '../../translation/wire/chars-per-token.ts'
import {
  bytesIn,
  bytesOfUnknown,
  likelyBillOfPrompt,
  tokenWorstCase,
} from '../../calls/upstream/bounds/token-worst-case.ts'

// A search is a query with up to 100 documents. A document that is too long together with the query counts as several.
const DOCUMENTS_PER_SEARCH = 100
const TOKENS_PER_DOCUMENT = 500
const LEAST_TOKENS_PER_PART = 100

/**
 * The most that sorting documents can cost: by searches, or by tokens of the query, read again for every document. Fields that
 * are not in the contract are sent, and may be a part of the query, such as an instruction.
 */
export function rerankWorstCase(body: RerankRequest, documents: readonly string[], target: ChatTarget): WorstCase {
  const ofQuery = bytesIn(body.query) + bytesOfUnknown(body, RerankRequest)
  const search = unitPrice(target, 'search')
  const units = searchesOf(ofQuery, documents, 1)
  if (search !== undefined) return fixedCost(costOfWork(target.entry, { units }, search))
  return tokenWorstCase(target.entry, ofQuery * Math.max(1, documents.length) + bytesIn(documents))
}

/** What it most likely costs, at a provider that ranks. */
export function likelyRerankBill(body: RerankRequest, documents: readonly string[], target: ChatTarget): Bill {
  const ofQuery = bytesIn(body.query) + bytesOfUnknown(body, RerankRequest)
  const search = unitPrice(target, 'search')
  const units = searchesOf(ofQuery, documents, CHARS_PER_TOKEN)
  if (search !== undefined) return { cost: costOfWork(target.entry, { units }, search) }
  return likelyBillOfPrompt(target.entry, ofQuery * Math.max(1, documents.length) + bytesIn(documents))
}

function searchesOf(ofQuery: number, documents: readonly string[], bytesPerToken: number): number {
  const room = Math.max(LEAST_TOKENS_PER_PART, TOKENS_PER_DOCUMENT - ofQuery / bytesPerToken) * bytesPerToken
  const parts = documents.reduce((sum, text) => sum + Math.max(1, Math.ceil(bytesIn(text) / room)), 0)
  return Math.max(1, Math.ceil(parts / DOCUMENTS_PER_SEARCH))
}
