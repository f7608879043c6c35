import { type AnswerDelta, placeBlock } from '../../wire/answer.ts'
import { pieceOf, unreadable } from '../answer/unreadable-event.ts'
import { ANSWER_TOOL } from '../json-answer.ts'
import { type Fields, textOf } from '../../../base/schema/record.ts'
import { argumentsText, toolCall } from '../tool-call.ts'
import { annotationsOf } from './citations.ts'
import type { ProviderBlocks } from '../provider-blocks.ts'
import { isServerBlock, MAKER, noteBlock, ServerBlock } from './provider-content.ts'
import { type ReasoningDetail, reasoningDetail } from './reasoning-details.ts'

/** The state of a stream, as far as later pieces depend on it. */
export type StreamState = {
  textLength: number
  calls: number
  details: ReasoningDetail[]
  annotations: Fields[]
  blocks: ProviderBlocks
}

/** A block between its start and its stop event: what each of its pieces adds to the reply. */
export class OpenBlock {
  readonly #block: Fields
  readonly #stream: StreamState
  readonly #start: number
  readonly #call: number | undefined
  readonly #citations: unknown[] = []
  /** A block of a tool that runs at the provider. */
  readonly #server: ServerBlock | undefined
  #hasInput = false

  constructor(block: Fields, stream: StreamState) {
    this.#block = { ...block }
    this.#stream = stream
    this.#start = stream.textLength
    this.#server = isServerBlock(block) ? new ServerBlock(block) : undefined
    // Calls have their own numbering, because other blocks are numbered too.
    this.#call = block.type === 'tool_use' && block.name !== ANSWER_TOOL ? stream.calls++ : undefined
  }

  /** Undefined if the piece cannot be read, or belongs to another kind of block. */
  open(): AnswerDelta | undefined {
    const { type, text, thinking, citations, id, name } = this.#block
    if (this.#call !== undefined) return { tool_calls: [{ index: this.#call, ...toolCall(id, name, '') }] }
    if (Array.isArray(citations)) for (const citation of citations) this.#citations.push(citation)
    if (type === 'text') return this.#text(text)
    if (type !== 'thinking') return undefined
    this.#block.thinking = ''
    return this.#reasoning(thinking)
  }

  add(piece: Fields): AnswerDelta | undefined {
    if (this.#server) return void this.#server.add(piece)
    if (piece.type === 'text_delta') return this.#text(piece.text)
    if (piece.type === 'input_json_delta') return this.#input(piece.partial_json)
    if (piece.type === 'thinking_delta') return this.#reasoning(piece.thinking)
    if (piece.type === 'signature_delta')
      this.#block.signature = textOf(this.#block.signature) + textOf(piece.signature)
    if (piece.type === 'citations_delta') this.#citations.push(piece.citation)
    return undefined
  }

  /** If no input arrived in pieces, it came with the start of the block, or there is none. */
  close(): AnswerDelta | undefined {
    if (this.#server) return this.#closeServer(this.#server.whole())
    const detail = reasoningDetail(this.#block)
    if (detail) this.#stream.details.push(detail)
    const isLate = this.#block.type === 'tool_use' && !this.#hasInput
    const delta = isLate ? this.#input(argumentsText(this.#block.input)) : undefined
    const span = { start: this.#start, end: this.#stream.textLength }
    for (const annotation of annotationsOf(this.#citations, span)) this.#stream.annotations.push(annotation)
    noteBlock(this.#stream.blocks, this.#whole(), span)
    return delta
  }

  #whole(): Fields {
    return this.#block.type === 'text' ? { ...this.#block, citations: this.#citations } : this.#block
  }

  #closeServer(block: Fields): AnswerDelta {
    noteBlock(this.#stream.blocks, block, { start: this.#start, end: this.#start })
    return placeBlock({}, { type: MAKER, block })
  }

  #text(value: unknown): AnswerDelta | undefined {
    const text = pieceOf(value)
    if (text === '') return undefined
    this.#stream.textLength += text.length
    return { content: text }
  }

  #reasoning(value: unknown): AnswerDelta | undefined {
    const thinking = pieceOf(value)
    if (thinking === '') return undefined
    this.#block.thinking = `${this.#block.thinking ?? ''}${thinking}`
    return { reasoning_content: thinking }
  }

  #input(value: unknown): AnswerDelta | undefined {
    const json = pieceOf(value)
    if (json === '') return undefined
    if (this.#block.type !== 'tool_use') throw unreadable()
    this.#hasInput = true
    if (this.#call === undefined) return this.#text(json)
    return { tool_calls: [{ index: this.#call, function: { arguments: json } }] }
  }
}
