import type { Fields } from '../../../base/schema/record.ts'
import type { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { WireRequest } from '../../wire/wire.ts'
import type { Target } from '../chat-codec.ts'

// How a wire format sorts documents by their relevance to a query.

export type RerankCodec = {
  encode(call: RerankCall, target: Target): WireRequest
  /** Throws an UpstreamProblem if the text is not an answer about that many documents. */
  decode(text: string, documents: number): Ranking
  problem(status: number, text: string): UpstreamProblem
}

export type RerankCall = {
  query: string
  documents: readonly string[]
  topN?: number | undefined
  /** Further fields of the caller. */
  extra: Fields
}

export type Ranking = {
  id?: string | undefined
  /** In the order of the answer. */
  results: { index: number; score: number }[]
  /** Tokens read, if the provider counts them. */
  tokens?: number | undefined
  /** Searches that the provider bills, if it bills searches. */
  searchUnits?: number | undefined
}
