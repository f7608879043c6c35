import { type AnswerChunk, type AnswerDelta, placeBlock } from '../../wire/answer.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { Ending } from '../answer/finish-reason.ts'
import { pieceOf, refuseUnreadable, unreadable } from '../answer/unreadable-event.ts'
import { refuseEndless } from '../answer-problems.ts'
import { onlyChoice, toChunk } from '../chunk.ts'
import type { ChatDecoder } from '../chat-codec.ts'
import { ANSWER_TOOL } from '../json-answer.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'
import { toolCall } from '../tool-call.ts'
import { annotationsOf } from './citations.ts'
import { ending, toUsage } from './finish-reason.ts'
import { ProviderBlocks } from '../provider-blocks.ts'
import { problemOfEvent } from './problem.ts'
import { MAKER, ServerBlock, serverBlockName } from './provider-content.ts'
import { reasoningDetail, type ReasoningBlock } from './reasoning-details.ts'
import { tierIn } from './reply.ts'

export function decoder(): ChatDecoder {
  return new BedrockDecoder()
}

/** The state of one block of the answer. */
type OpenBlock = {
  reasoning: ReasoningBlock
  citations: Fields[]
  /** The position in the answer at which its text begins. */
  start: number
  end: number
  /** The number of the call. A block of our own answer tool has none. */
  call?: number | undefined
  isAnswer?: boolean
  hasInput?: boolean
  /** A block of a tool that runs at Amazon. */
  server?: ServerBlock
  callId?: unknown
  isNoted?: boolean
}

class BedrockDecoder implements ChatDecoder {
  readonly #blocks = new Map<number, OpenBlock>()
  readonly #noted = new ProviderBlocks(MAKER)
  #calls = 0
  #chars = 0
  #begun = false
  #counted = false
  /** A block came after the end, or went on. */
  #hasLate = false
  ended = false
  malformed = 0

  /** The usage comes after the end of the answer, and nothing follows it. */
  get done() {
    return this.ended && this.#counted
  }

  feed({ event = '', data }: WireEvent): AnswerChunk[] {
    if (this.done) return []
    if (/^(exception|error):/.test(event)) throw problemOfEvent(event, data)
    const read = READERS[event]
    if (!read) return []
    const payload = tryParse(data)
    const chunks = isRecord(payload) ? read(this, payload) : undefined
    // An event of a known kind that cannot be read may have had a part of the answer. Nothing belongs to it after its end.
    if (!payload && !this.ended) refuseUnreadable(data)
    if (!chunks && !this.ended) throw unreadable()
    if (!chunks) this.malformed++
    return chunks ?? []
  }

  /** Only call blocks announce their start. */
  blockStart({ contentBlockIndex: at, start }: Fields): AnswerChunk[] | undefined {
    const { toolUse } = recordOf(start)
    if (typeof at !== 'number') return undefined
    if (isRecord(start) && serverBlockName(start)) return this.#openServer(at, start)
    if (!isRecord(toolUse)) return []
    const block = this.#block(at)
    if (block.call !== undefined || block.isAnswer) return undefined
    if (toolUse.name === ANSWER_TOOL) {
      block.isAnswer = true
      return []
    }
    block.call = this.#calls++
    block.callId = toolUse.toolUseId
    return [this.#chunk({ tool_calls: [{ index: block.call, ...toolCall(toolUse.toolUseId, toolUse.name, '') }] })]
  }

  blockDelta({ contentBlockIndex: at, delta }: Fields): AnswerChunk[] | undefined {
    if (typeof at !== 'number' || !isRecord(delta)) return undefined
    const block = this.#block(at)
    if (block.server || serverBlockName(delta)) return this.#addToServer(block, delta)
    if (isRecord(delta.toolUse)) return this.#input(block, delta.toolUse.input)
    if (isRecord(delta.reasoningContent)) return this.#reasoning(block, delta.reasoningContent)
    if (isRecord(delta.citation)) block.citations.push(delta.citation)
    return this.#text(block, pieceOf(delta.text))
  }

  blockStop({ contentBlockIndex: at }: Fields): AnswerChunk[] | undefined {
    const block = typeof at === 'number' && this.#blocks.get(at)
    return block ? this.#close(block) : []
  }

  messageStop({ stopReason }: Fields): AnswerChunk[] | undefined {
    const end = ending(stopReason, this.#calls)
    if (end.finish_reason === null) return undefined
    const last = this.#closed()
    this.ended = true
    return [...last, this.#chunk({}, end)]
  }

  /**
   * Data of the whole answer, the reasoning to send back and the sources, comes in one piece before the end. If more blocks
   * come after the end, it is sent again.
   */
  #closed(): AnswerChunk[] {
    if (this.ended && !this.#hasLate) return []
    const blocks = [...this.#blocks.values()]
    const last = blocks.flatMap((block) => this.#close(block))
    const details = blocks.flatMap(({ reasoning }) => reasoningDetail(reasoning) ?? [])
    const annotations = blocks.flatMap((block) => annotationsOf(block.citations, block))
    const buffered = {
      ...(details.length > 0 && { reasoning_details: details }),
      ...(annotations.length > 0 && { annotations }),
      ...this.#noted.content(),
    }
    if (Object.keys(buffered).length > 0) last.push(this.#chunk(buffered))
    this.#hasLate = false
    return last
  }

  metadata(payload: Fields): AnswerChunk[] | undefined {
    if (!isRecord(payload.usage)) return []
    this.#counted = true
    const usage = toUsage(payload.usage)
    return [...(this.ended ? this.#closed() : []), toChunk([], { ...(usage && { usage }), ...tierIn(payload) })]
  }

  #block(at: number): OpenBlock {
    this.#hasLate ||= this.ended
    const open = this.#blocks.get(at)
    if (open) return open
    refuseEndless(this.#blocks)
    const reasoning = { text: '', signature: '', redacted: '' }
    const block = { reasoning, citations: [], start: this.#chars, end: this.#chars }
    this.#blocks.set(at, block)
    return block
  }

  #text(block: OpenBlock, text: string): AnswerChunk[] {
    this.#chars += text.length
    block.end = this.#chars
    return text ? [this.#chunk({ content: text })] : []
  }

  #reasoning({ reasoning }: OpenBlock, { text, signature, redactedContent }: Fields): AnswerChunk[] {
    const piece = pieceOf(text)
    reasoning.text += piece
    reasoning.signature += textOf(signature)
    reasoning.redacted += textOf(redactedContent)
    return piece ? [this.#chunk({ reasoning_content: piece })] : []
  }

  #input(block: OpenBlock, input: unknown): AnswerChunk[] | undefined {
    if (typeof input !== 'string' || (block.call === undefined && !block.isAnswer)) return undefined
    if (input === '') return []
    block.hasInput = true
    if (block.call === undefined) return this.#text(block, input)
    return [this.#chunk({ tool_calls: [{ index: block.call, function: { arguments: input } }] })]
  }

  /** A call without arguments may arrive without any input. */
  #close(block: OpenBlock): AnswerChunk[] {
    const isLate = !block.hasInput && (block.call !== undefined || block.isAnswer)
    const chunks = isLate ? (this.#input(block, '{}') ?? []) : []
    return [...chunks, ...this.#note(block)]
  }

  #openServer(at: number, start: Fields): AnswerChunk[] {
    this.#block(at).server = new ServerBlock(start)
    return []
  }

  /** A block of this kind may begin without a start. */
  #addToServer(block: OpenBlock, delta: Fields): AnswerChunk[] {
    block.server ??= new ServerBlock({ [serverBlockName(delta)!]: {} })
    block.server.add(delta)
    return []
  }

  /** Notes the order of the blocks, once for each block. */
  #note(block: OpenBlock): AnswerChunk[] {
    if (block.isNoted) return []
    block.isNoted = true
    if (block.server) return this.#noteServer(block.server.whole())
    if (block.end > block.start) this.#noted.text(block)
    else if (block.call !== undefined) this.#noted.reference({ type: 'tool_use', id: block.callId })
    else if (reasoningDetail(block.reasoning)) this.#noted.reference({ type: 'reasoning' })
    return []
  }

  #noteServer(block: Fields): AnswerChunk[] {
    this.#noted.raw({ type: 'block', block }, serverBlockName(block))
    return [this.#chunk(placeBlock({}, { type: MAKER, block }))]
  }

  #chunk(delta: AnswerDelta, end?: Ending): AnswerChunk {
    const isFirst = !this.#begun
    this.#begun = true
    return toChunk(onlyChoice(delta, isFirst, end))
  }
}

type Reader = (decoder: BedrockDecoder, payload: Fields) => AnswerChunk[] | undefined

/** Undefined if the event is known but malformed. */
const READERS: Partial<Record<string, Reader>> = Object.assign(Object.create(null), {
  contentBlockStart: (decoder, payload) => decoder.blockStart(payload),
  contentBlockDelta: (decoder, payload) => decoder.blockDelta(payload),
  contentBlockStop: (decoder, payload) => decoder.blockStop(payload),
  messageStop: (decoder, payload) => decoder.messageStop(payload),
  metadata: (decoder, payload) => decoder.metadata(payload),
} satisfies Record<string, Reader>)
