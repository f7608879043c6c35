import type { ChatRequest } from '../../contract/chat.ts'
import type { Answer, AnswerChunk } from '../wire/answer.ts'
import type { ModelTraits } from './model-traits.ts'
import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireEvent, WireRequest, WireResponse } from '../wire/wire.ts'
import type { Outline } from '../json/outline.ts'
import type { Compat } from './openai/compat.ts'

// A dialect is one wire format, as pure functions: no socket, no clock, no store. It notes what it cannot translate.

export type ChatCodec = {
  /** Whether the wire format has `n`; if not, the gateway asks several times. The default is `many`. */
  choices?: 'many' | 'many when whole' | 'one'
  /** The provider accepts only the bytes of images: the gateway fetches images that a caller names by URL. */
  images?: 'bytes'
  /** The encoder sends text files as text, so it has to read them; it passes on other files in base64. */
  texts?: 'read'
  /** The usage names every web search: if none is named, there was none. */
  countsSearches?: boolean
  /** How a streamed answer is split into events. The default is server-sent events. */
  framing?: 'sse' | 'aws-event-stream'
  /** Never changes the call: a fallback encodes it again for another target. */
  encode(call: ChatCall, target: Target): Encoded
  /** Throws an UpstreamProblem of kind `garbage` if the text is not a completion. */
  decode(text: string, target?: WithCompat): Answer
  /** One decoder per stream: it may keep state, but has no side effects. */
  decoder(request: ChatRequest, target?: WithCompat): ChatDecoder
  /** `headers` are those that describe what went wrong. */
  problem(status: number, text: string, headers?: WireResponse['headers']): UpstreamProblem
}

/** The part of a target that is needed to read its answers. */
export type WithCompat = Pick<Target, 'compat'>

/** The request, and the text that it was read from as long as both mean the same to every reader. */
export type ChatCall = {
  request: ChatRequest
  source?: { text: string; outline: Outline } | undefined
  /** For providers that take a `prompt_cache_key`, if the request has none. */
  cacheKey?: string | undefined
}

export type Target = {
  baseUrl: string
  /** The provider's own name for the model. */
  model: string
  /** How this model differs from the rest of its family. */
  traits?: ModelTraits | undefined
  /** The provider's name, for messages to callers. */
  name?: string | undefined
  /** How this address differs from others with the OpenAI wire format. */
  compat?: Compat | undefined
  fieldRules?: {
    drop?: readonly string[]
    rename?: Readonly<Record<string, string>>
    defaults?: Readonly<Record<string, unknown>>
  }
}

export type Encoded = {
  wire: WireRequest
  notes: Note[]
  /** The caller marked a block of the request that the provider can keep for later requests. */
  cache?: CachePlan | undefined
}

/** How to let a provider keep a block of content. */
export type CachePlan = {
  /** Creates the block. */
  create: WireRequest
  /** How long the block is kept. */
  seconds: number
  /** The body of the request, with the provider's name of the block in its place. */
  using(name: string): string
}

/**
 * A field that was not sent as the caller wrote it, and the reason. `added`: the caller did not write it. `passed_on`: it was sent unchanged, but the provider may
 * ignore it.
 */
export type Note = {
  field: string
  action: 'added' | 'dropped' | 'renamed' | 'translated' | 'passed_on' | 'retires' | 'lowered'
  reason: string
}

export type ChatDecoder = {
  feed(event: WireEvent): AnswerChunk[]
  /** Whether the reply is complete: every choice has its finish reason, or the dialect's own end marker came. */
  readonly ended: boolean
  /** The dialect's own end marker came: nothing that follows belongs to the reply. */
  readonly done: boolean
  /** The number of events that could not be read and were ignored. */
  readonly malformed: number
}
