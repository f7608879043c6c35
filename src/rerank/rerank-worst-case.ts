import { fixedCost, type WorstCase } from '../limits/worst-case.ts'
import type { ChatTarget } from '../routing/route.ts'
import { bytesIn, tokenWorstCase } from '../upstream/bounds/token-worst-case.ts'

// A search is a query with up to 100 documents. A document that is too long together with the query counts as several.
const DOCUMENTS_PER_SEARCH = 100
const TOKENS_PER_DOCUMENT = 500
const LEAST_TOKENS_PER_PART = 100

/** The most that sorting documents can cost: by searches, or by tokens of the query, read again for every document. */
export function rerankWorstCase(query: string, documents: readonly string[], { entry }: ChatTarget): WorstCase {
  const search = entry?.per?.search
  if (search !== undefined) return fixedCost(search * mostSearches(query, documents))
  return tokenWorstCase(entry, bytesIn(query) * Math.max(1, documents.length) + bytesIn(documents))
}

function mostSearches(query: string, documents: readonly string[]): number {
  const room = Math.max(LEAST_TOKENS_PER_PART, TOKENS_PER_DOCUMENT - bytesIn(query))
  const parts = documents.reduce((sum, text) => sum + Math.max(1, Math.ceil(bytesIn(text) / room)), 0)
  return Math.max(1, Math.ceil(parts / DOCUMENTS_PER_SEARCH))
}
