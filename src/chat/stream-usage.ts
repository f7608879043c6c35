import type { ChatChunk, Usage } from '../contract/chat-reply.ts'
import { callIdsOf, MAX_DETAILS_CHARS } from '../calls/reasoning-memory.ts'
import { charsOfMessage } from '../upstream/settle.ts'

/** Nobody goes on from a text longer than this, and nobody's memory should hold it. */
const MAX_TEXT_CHARS = 100_000
/** What the id of a call takes beside its own text. */
const CALL_CHARS = 64

/** What is learnt from the chunks of one target as they pass. */
export class StreamUsage {
  usage: Usage | undefined
  serviceTier: string | null | undefined
  chars = 0
  chunks = 0
  /** Of the events that it came in. */
  wireChars = 0
  /** It has been counted into the call. */
  isSettled = false
}

/** What the caller has been sent so far, by whatever target: needed to go on with another one when a stream breaks. */
export class Sent {
  /** The first chunk that was passed on: all others share its id and time. */
  head: ChatChunk | undefined
  text = ''
  /** Signed thoughts, and the calls that they belong to. */
  reasoning: unknown[] = []
  callIds: string[] = []
  #rememberedChars = 0
  /** More than the text of a single answer: nobody else could go on from there. */
  isMoreThanText = false

  add({ choices }: ChatChunk): void {
    for (const { delta } of choices) this.#remember(delta)
    if (this.isMoreThanText) return
    for (const { index, delta, finish_reason } of choices) {
      const { content, tool_calls, refusal, audio, function_call } = delta ?? {}
      if (content && index === 0) this.text += content
      if (index > 0 || tool_calls || refusal || audio || function_call || finish_reason) this.isMoreThanText = true
    }
    if (this.text.length > MAX_TEXT_CHARS) this.isMoreThanText = true
    if (this.isMoreThanText) this.text = ''
  }

  #remember(delta: ChatChunk['choices'][number]['delta']) {
    if (this.#rememberedChars > MAX_DETAILS_CHARS) return
    if (delta?.tool_calls) for (const id of callIdsOf(delta.tool_calls)) this.#addCall(id)
    const details = (delta as { reasoning_details?: unknown } | undefined)?.reasoning_details
    if (Array.isArray(details)) this.#addReasoning(details)
    // Some of the thoughts are as good as none: they are wanted back as they were.
    if (this.#rememberedChars > MAX_DETAILS_CHARS) [this.reasoning, this.callIds] = [[], []]
  }

  /** Some providers repeat the id with every piece of a call. */
  #addCall(id: string) {
    if (this.callIds.includes(id)) return
    this.callIds.push(id)
    this.#rememberedChars += CALL_CHARS + id.length
  }

  #addReasoning(details: unknown[]) {
    this.#rememberedChars += JSON.stringify(details).length
    for (const detail of details) this.reasoning.push(detail)
  }
}

/**
 * Usage leaves the chunks: providers send it on one, on some or on all of them; our caller gets it once, at the end, and
 * only when asked for. A chunk without choices says nothing then, and naive clients stumble over it.
 */
export function tidy(chunk: ChatChunk, model: string, streamUsage: StreamUsage, sent: Sent): boolean {
  streamUsage.chunks++
  if (chunk.usage) streamUsage.usage = chunk.usage
  if (chunk.service_tier) streamUsage.serviceTier = chunk.service_tier
  if (chunk.usage !== undefined) chunk.usage = undefined
  if (chunk.choices.length === 0) return false
  sent.head ??= chunk
  chunk.id = sent.head.id
  chunk.created = sent.head.created
  chunk.object = 'chat.completion.chunk'
  chunk.model = model
  for (const { delta } of chunk.choices) if (delta) streamUsage.chars += charsOfMessage(delta)
  sent.add(chunk)
  return true
}
