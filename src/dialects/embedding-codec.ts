import type { EmbeddingsRequest } from '../contract/embeddings.ts'
import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireRequest, WireResponse } from '../wire/wire.ts'
import type { Target } from './chat-codec.ts'

// How a wire format turns texts into vectors.

export type EmbeddingCodec = {
  /** Inputs of one request; more are asked for in several, side by side. */
  max(target: Target): number
  /** Never changes the call. Throws a problem that names the field when the wire or the model cannot take it. */
  encode(call: EmbeddingCall, target: Target): WireRequest
  /** Throws an UpstreamProblem when it is no answer. */
  decode(answer: EmbeddingAnswer): EmbeddingReply
  problem(status: number, text: string): UpstreamProblem
}

export type EmbeddingCall = {
  input: EmbeddingsRequest['input']
  dimensions?: number | undefined
  encodingFormat?: 'float' | 'base64' | undefined
  user?: string | undefined
  /** What else the caller sent. */
  extra: Readonly<Record<string, unknown>>
}

export type EmbeddingAnswer = { headers: WireResponse['headers']; text: string }

export type EmbeddingReply = {
  /** Numbers, or the base64 of 32-bit floats, in the order of the inputs. */
  data: (Record<string, unknown> & { embedding: number[] | string })[]
  /** Tokens read, where the provider counts them. */
  tokens?: number | undefined
  /** Further members of the answer, where the wire is that of our callers. */
  more?: Record<string, unknown>
}
