import type { ChatRequest } from '../contract/chat.ts'
import type { ChatChunk, ChatCompletion } from '../contract/chat-reply.ts'
import type { ModelTraits } from './model-traits.ts'
import type { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { WireEvent, WireRequest, WireResponse } from '../wire/wire.ts'
import type { Outline } from '../json/outline.ts'
import type { Compat } from './openai/compat.ts'

// A dialect is one wire format, as pure functions: no socket, no clock, no store. What it cannot carry it notes.

export type ChatCodec = {
  /** Whether the wire knows `n`; where it does not, the house asks several times. Many, where nothing is said. */
  choices?: 'many' | 'many when whole' | 'one'
  /** It takes images as bytes only: the house fetches those that a caller names by their address. */
  images?: 'bytes'
  /** It sends the text of files that are text, so it has to read them; other files it passes on in base64. */
  texts?: 'read'
  /** Its counts name every search of the web: what they do not name there was none of. */
  countsSearches?: boolean
  /** How a streamed answer is cut into events; server-sent events where nothing is said. */
  framing?: 'sse' | 'aws-event-stream'
  /** Never changes the call: a fallback encodes it again for another target. */
  encode(call: ChatCall, target: Target): Encoded
  /** Throws an UpstreamProblem of kind `garbage` when the text is no completion. */
  decode(text: string, target?: WithCompat): ChatCompletion
  /** Fresh per stream: may remember, may not reach outside. */
  decoder(request: ChatRequest, target?: WithCompat): ChatDecoder
  /** Of the headers, those that say what went wrong. */
  problem(status: number, text: string, headers?: WireResponse['headers']): UpstreamProblem
}

/** As much of a target as reading its answers needs. */
export type WithCompat = Pick<Target, 'compat'>

/** What was asked, with the text it was read from while the two still say the same to every reader. */
export type ChatCall = { request: ChatRequest; source?: { text: string; outline: Outline } | undefined }

export type Target = {
  baseUrl: string
  /** The provider's own name of the model. */
  model: string
  /** How this model differs from the rest of its family. */
  traits?: ModelTraits | undefined
  /** The provider's name, for sentences to callers. */
  name?: string | undefined
  /** How this address differs from others of the OpenAI wire. */
  compat?: Compat | undefined
  fieldRules?: {
    drop?: readonly string[]
    rename?: Readonly<Record<string, string>>
    defaults?: Readonly<Record<string, unknown>>
  }
}

export type Encoded = { wire: WireRequest; notes: Note[] }

/** A field that did not travel as the caller wrote it, and why. */
export type Note = { field: string; action: 'dropped' | 'renamed' | 'translated'; reason: string }

export type ChatDecoder = {
  feed(event: WireEvent): ChatChunk[]
  /** Whether the reply is complete: every choice has its finish reason, or the dialect's own end came. */
  readonly ended: boolean
  /** The dialect's own end came: nothing that follows belongs to the reply. */
  readonly done: boolean
  /** Events that could not be read and were passed over. */
  readonly malformed: number
}
