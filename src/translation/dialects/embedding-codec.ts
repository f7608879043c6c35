import type { EmbeddingsRequest } from '../../contract/embeddings.ts'
import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireRequest, WireResponse } from '../wire/wire.ts'
import type { Fields } from '../../base/schema/record.ts'
import type { Target } from './chat-codec.ts'

// How a wire format turns texts into vectors.

export type EmbeddingCodec = {
  /** The maximum number of inputs per request. More inputs are sent in several parallel requests. */
  max(target: Target): number
  /** Whether the wire format has a field for the end user. */
  takesUser: boolean
  /** The fields for the vectors of a search, if a query and the documents get different ones. */
  retrieval?(target: Target): { query: Fields; document: Fields } | undefined
  /** Never changes the call. Throws a problem that names the field if the wire format or the model cannot accept it. */
  encode(call: EmbeddingCall, target: Target): WireRequest
  /** Throws an UpstreamProblem if the text is not an answer. */
  decode(answer: EmbeddingAnswer): EmbeddingReply
  problem(status: number, text: string): UpstreamProblem
}

export type EmbeddingCall = {
  input: EmbeddingsRequest['input']
  dimensions?: number | undefined
  encodingFormat?: 'float' | 'base64' | undefined
  user?: string | undefined
  /** Further fields of the caller. */
  extra: Readonly<Record<string, unknown>>
}

export type EmbeddingAnswer = { headers: WireResponse['headers']; text: string }

/**
 * Numbers, or the base64 of 32-bit floats. A model that has several vectors for a text sends them under another name, and then
 * there is no `embedding`.
 */
export type EmbeddedText = Record<string, unknown> & { embedding?: number[] | string | undefined }

export type EmbeddingReply = {
  /** In the order of the inputs, unless they are numbered. */
  data: EmbeddedText[]
  /** Tokens read, if the provider counts them. */
  tokens?: number | undefined
  /** Further members of the answer, if the provider's format is the one of our callers. */
  more?: Record<string, unknown>
}
