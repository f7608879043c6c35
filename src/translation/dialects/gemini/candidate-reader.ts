import type { ToolCallFragment } from '../../../contract/chat-reply.ts'
import { type AnswerDelta, placeBlock } from '../../wire/answer.ts'
import { partOf, partsOf, pieceOf, unreadable } from '../answer/unreadable-event.ts'
import { refuseEndless } from '../answer-problems.ts'
import { type Fields, isRecord, textOf } from '../../../base/schema/record.ts'
import { toolCall } from '../tool-call.ts'
import { toAnnotations } from './annotations.ts'
import { AudioJoiner } from './audio-joiner.ts'
import { ProviderBlocks } from '../provider-blocks.ts'
import { PartialCall } from './partial-call.ts'
import { MAKER, noteMetadata } from './provider-content.ts'
import type { ReasoningDetail } from './signatures.ts'
import { searchesIn } from './usage.ts'

/**
 * Reads the parts of one candidate, all at once or event by event, and returns what each part adds to the answer. Both
 * whole replies and streams use it, so that they give the same result.
 */
export class CandidateReader {
  readonly #callIdOf: (name: string, at: number) => string
  readonly #images: Fields[] = []
  readonly #details: ReasoningDetail[] = []
  readonly #audio: AudioJoiner
  #open: PartialCall | undefined
  #calls = 0
  #text = ''
  readonly #blocks = new ProviderBlocks(MAKER)
  readonly #metadata: Fields = {}
  #hasMetadata = false
  /** Whether any part of the answer has arrived. Reasoning does not count. */
  hasContent = false

  constructor(callIdOf: (name: string, at: number) => string, audioId: string) {
    this.#callIdOf = callIdOf
    this.#audio = new AudioJoiner(audioId)
  }

  get hasCalls() {
    return this.#calls > 0
  }

  /** How often the answer searched the web. */
  get searches() {
    return searchesIn(this.#metadata.groundingMetadata)
  }

  /** A call is waiting for the rest of its arguments. A call without arguments may stay open for ever. */
  get hasOpenCall() {
    return this.#open?.isInText === true
  }

  read(candidate: Fields): AnswerDelta {
    const delta: AnswerDelta = {}
    noteMetadata(candidate, this.#metadata)
    for (const part of partsOf(partOf(candidate.content).parts)) this.#part(part, delta)
    return delta
  }

  /**
   * Lists that belong to the answer as a whole. Clients replace unknown lists with the next one of the same name, so these
   * are sent once, complete.
   */
  end(): AnswerDelta {
    const delta: AnswerDelta = { ...this.#audio.rest() }
    if (this.#open) this.#close(delta)
    const annotations = toAnnotations(this.#metadata, this.#text)
    if (Object.keys(this.#metadata).length > 0 && !this.#hasMetadata) {
      this.#blocks.raw({ type: 'metadata', metadata: this.#metadata })
      this.#hasMetadata = true
    }
    if (annotations.length > 0) delta.annotations = annotations
    if (this.#images.length > 0) (delta as Fields).images = this.#images
    if (this.#details.length > 0) (delta as Fields).reasoning_details = this.#details
    return Object.assign(delta, this.#blocks.content())
  }

  #part(part: Fields, delta: AnswerDelta) {
    refuseEndless({ size: this.#details.length + this.#images.length })
    const signature = textOf(part.thoughtSignature)
    if (part.functionCall != null) this.#call(partOf(part.functionCall), signature, delta)
    else if (isRecord(part.inlineData)) this.#media(part.inlineData, signature, delta)
    else if (part.text != null) this.#say(pieceOf(part.text), part.thought === true, signature, delta)
    else if (Object.keys(part).length > 0) this.#server(part, delta)
  }

  /** A step of a tool that runs at Google: code, its result, a search. */
  #server(part: Fields, delta: AnswerDelta) {
    this.#blocks.raw({ type: 'part', part }, Object.keys(part)[0])
    placeBlock(delta, { type: MAKER, block: part })
  }

  #say(text: string, isReasoning: boolean, signature: string, delta: AnswerDelta) {
    if (signature) this.#details.push({ type: 'gemini.thought_signature', signature, tool_call_id: null })
    if (text === '' && signature && !isReasoning)
      this.#blocks.reference({ type: 'signature', thoughtSignature: signature })
    if (text === '') return
    if (isReasoning) {
      delta.reasoning_content = (delta.reasoning_content ?? '') + text
      return
    }
    const start = this.#text.length
    this.#blocks.text({ start, end: start + text.length }, signature ? { thoughtSignature: signature } : {})
    delta.content = (delta.content ?? '') + text
    this.#text += text
    this.hasContent = true
  }

  #media({ mimeType, data }: Fields, signature: string, delta: AnswerDelta) {
    if (typeof data !== 'string') return
    const type = textOf(mimeType) || 'image/png'
    this.hasContent = true
    if (type.startsWith('audio/')) return void Object.assign(delta, this.#audio.add(data, type, delta.audio))
    if (signature)
      this.#details.push({
        type: 'gemini.thought_signature',
        signature,
        tool_call_id: null,
        image_index: this.#images.length,
      })
    this.#blocks.reference({ type: 'image', index: this.#images.length })
    this.#images.push({ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } })
  }

  /** A call is whole in one part, or comes in pieces until a part says that nothing follows. */
  #call(called: Fields, signature: string, delta: AnswerDelta) {
    if (textOf(called.name)) {
      if (this.#open) this.#close(delta)
      this.#open = new PartialCall(called)
    }
    if (!this.#open) throw unreadable()
    this.#open.signature ||= signature
    this.#open.add(called.partialArgs)
    if (called.willContinue !== true) this.#close(delta)
  }

  #close(delta: AnswerDelta) {
    const { name, id: value, signature, argumentsText } = this.#open!
    const at = this.#calls++
    const id = value ?? this.#callIdOf(name, at)
    const call: ToolCallFragment = { index: at, ...toolCall(id, name, argumentsText) }
    if (signature) {
      ;(call as Fields).extra_content = { google: { thought_signature: signature } }
      this.#details.push({ type: 'gemini.thought_signature', signature, tool_call_id: id })
    }
    this.#blocks.reference({ type: 'function_call', id })
    delta.tool_calls ??= []
    delta.tool_calls.push(call)
    this.#open = undefined
    this.hasContent = true
  }
}
