import type { FinishReason, ToolCall } from '../../../contract/chat-reply.ts'
import { type AnswerDelta, type AnswerMessage, type AnswerPiece, blocksIn } from '../../wire/answer.ts'
import { packContent } from '../../dialects/packed-content.ts'
import { MAKER } from '../../dialects/gemini/provider-content.ts'
import { signaturesOf, withSignature } from '../../dialects/gemini/signatures.ts'
import type { WirePart } from '../../dialects/gemini/wire.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { callPiece } from '../called.ts'
import { BufferedDeltas } from '../kept-deltas.ts'
import { rawBlocks } from '../step-reader.ts'
import { audioParts, callPart, imageParts, signed } from './answer-parts.ts'
import { finishReason } from './finish-reason.ts'
import { googleMetadata, isOfGoogle } from './google-parts.ts'
import { groundingOf } from './grounding.ts'
import { logprobsResult } from './logprobs.ts'

/** One answer of a stream. Text is passed on as it comes. Calls are whole in this format, so they wait for the end. */
export class StreamedCandidate {
  readonly #index: number
  readonly #deltas = new BufferedDeltas()
  readonly #calls = new Map<number, { id: string; name: string; json: string }>()
  readonly #details: Fields[] = []
  #parts: Fields[] = []
  #placed = 0
  #text = ''
  #logprobs: unknown
  /** Lists that come once, at the end. */
  #last: Fields = {}

  constructor(index: number) {
    this.#index = index
  }

  add(delta: AnswerDelta, logprobs: AnswerPiece['logprobs']): void {
    this.#deltas.add(delta)
    if (logprobs) this.#logprobs = logprobs
    if (delta.reasoning_content) this.#parts.push({ text: delta.reasoning_content, thought: true })
    for (const { type, block } of blocksIn(delta)) if (type === MAKER) this.#addPart(block)
    for (const text of [delta.content, delta.refusal]) if (text) this.#say(text)
    this.#parts.push(...audioParts(delta.audio))
    for (const fragment of delta.tool_calls ?? []) this.#call(callPiece(fragment))
    this.#keepLists(delta)
  }

  /** What has come since the last time; nothing if there is nothing to show. */
  next(): Fields[] {
    const parts = this.#parts.splice(0)
    if (parts.length === 0) return []
    return [{ content: { role: 'model', parts }, index: this.#index, ...this.#takeLogprobs() }]
  }

  end(reason: FinishReason, provider: string): Fields {
    const isGoogles = isOfGoogle(this.#last)
    if (isGoogles)
      for (const { block } of rawBlocks(this.#last.provider_content).slice(this.#placed)) this.#addPart(block)
    const parts = [...this.#parts.splice(0), ...imageParts(this.#last.images), ...this.#callParts()]
    return {
      content: { role: 'model', parts: isGoogles ? this.#signedByGoogle(parts) : this.#signed(parts, provider) },
      finishReason: finishReason(reason),
      index: this.#index,
      ...(isGoogles ? googleMetadata(this.#last) : groundingOf(this.#last.annotations, this.#text)),
      ...this.#takeLogprobs(),
    }
  }

  /** A part of Google. The content at the end has all of them. */
  #addPart(part: Fields): void {
    this.#placed++
    this.#parts.push(part)
  }

  #say(text: string): void {
    this.#text += text
    this.#parts.push({ text })
  }

  #call({ index, id, name, json }: { index: number; id: string; name: string; json: string }): void {
    const call = this.#calls.get(index) ?? { id: '', name: '', json: '' }
    this.#calls.set(index, { id: call.id || id, name: call.name || name, json: call.json + json })
  }

  #keepLists(delta: AnswerDelta & Fields): void {
    for (const detail of packContent(delta)) this.#details.push(detail)
    for (const list of LISTS) if (delta[list] != null) this.#last[list] = delta[list]
  }

  #callParts(): Fields[] {
    return Array.from(this.#calls, ([at, { id, name, json }]) => {
      const call: ToolCall = { id: id || `call_${at}`, type: 'function', function: { name, arguments: json } }
      return callPart(call)
    })
  }

  #signed(parts: readonly Fields[], provider: string): Fields[] {
    return signed(parts, { details: this.#details, provider })
  }

  /** Hooks have changed an answer of Google: its signatures still belong to its calls and its text. */
  #signedByGoogle(parts: readonly Fields[]): Fields[] {
    const signatures = signaturesOf(this.#last as unknown as AnswerMessage)
    const marked = parts.map((part) => {
      const { id } = (part.functionCall ?? {}) as Fields
      return id === undefined ? part : withSignature(part as WirePart, signatures.ofCall({ id }))
    })
    if (signatures.ofText) return [...marked, { text: '', thoughtSignature: signatures.ofText }]
    return marked.length > 0 ? marked : [{ text: '' }]
  }

  #takeLogprobs(): Fields {
    const logprobs = this.#logprobs
    this.#logprobs = undefined
    return logprobsResult(logprobs)
  }
}

const LISTS = ['annotations', 'images', 'reasoning_details', 'provider_content'] as const
