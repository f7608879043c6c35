import type { FinishReason, ToolCall, ToolCallFragment } from '../../contract/chat-reply.ts'
import { type AnswerChunk, type AnswerDelta, blocksIn } from '../../translation/wire/answer.ts'
import { type Fields, isRecord, recordsIn } from '../../base/schema/record.ts'
import { callPiece } from '../../translation/formats/called.ts'
import type { ToolLoop, Turn } from './loop.ts'
import { moved } from './moved-annotations.ts'

type HeldCall = {
  id: string
  name: string
  json: string
  isCustom: boolean
  state: 'unknown' | 'ours' | 'passed' | 'kept'
}

/** One streamed turn: what is passed on of it at once, and what is held back until the turn is over. */
export class HeldTurn {
  readonly #loop: ToolLoop
  readonly #start: number
  /** A chunk of this turn, for an answer that begins with a call. */
  like: AnswerChunk | undefined
  #text = ''
  #reasoning = ''
  readonly #details: unknown[] = []
  #providerContent: unknown
  #finish: FinishReason | null = null
  readonly #calls = new Map<number, HeldCall>()
  #passedCalls = 0

  constructor(loop: ToolLoop) {
    this.#loop = loop
    this.#start = loop.textLength
  }

  /** The part of the chunk that is passed on; undefined if that is nothing. */
  take(chunk: AnswerChunk): AnswerChunk | undefined {
    this.like ??= chunk
    const choice = chunk.choices.find(({ index }) => index === 0)
    if (!choice) return undefined
    this.#finish = choice.finish_reason ?? this.#finish
    const delta = this.#passedOf(choice.delta ?? {})
    const isEmpty = Object.values(delta).every((value) => value === undefined || value === null || value === '')
    if (isEmpty && !chunk.gatehouse && !chunk.edenai_metadata) return undefined
    return { ...chunk, choices: [{ ...choice, delta, finish_reason: null }] }
  }

  turn(): Turn {
    const calls = [...this.#calls.values()].map(toCall)
    return {
      text: this.#text,
      calls,
      finish: this.#finish,
      ...(this.#reasoning && { reasoning_content: this.#reasoning }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details }),
      ...(this.#providerContent !== undefined && { provider_content: this.#providerContent }),
    }
  }

  /** The calls for the caller that came after a call of the gateway, and so have waited. */
  heldCalls(theirs: readonly ToolCall[]): ToolCallFragment[] {
    const kept = [...this.#calls.values()].filter(
      ({ id, state }) => state === 'kept' && theirs.some((call) => call.id === id),
    )
    return kept.map((call) => ({ index: this.#passedCalls++, ...toCall(call) }))
  }

  #passedOf(delta: AnswerDelta): AnswerDelta {
    const { role: _, content, reasoning_content, tool_calls, provider_content, annotations, ...others } = delta
    const { reasoning_details, ...rest } = others as Fields
    const between = content && !this.#text ? this.#loop.textBefore({ text: content }) : ''
    this.#text += content ?? ''
    this.#reasoning += reasoning_content ?? ''
    this.#details.push(...recordsIn(reasoning_details))
    if (isRecord(provider_content)) this.#providerContent = provider_content
    const pieces = (tool_calls ?? []).flatMap((piece) => this.#piece(piece))
    const offset = this.#start + (this.#text ? this.#loop.textBefore({ text: this.#text }).length : 0)
    const passed: AnswerDelta = {
      ...rest,
      ...(content != null && { content: between + content }),
      ...(reasoning_content != null && { reasoning_content }),
      ...(pieces.length > 0 && { tool_calls: pieces }),
      ...(annotations && { annotations: moved(recordsIn(annotations), offset) }),
    }
    if (blocksIn(delta).length === 0) delete passed.placedBlocks
    return passed
  }

  /** Calls for the caller are passed on as they come, unless a call of the gateway has come before them. */
  #piece(piece: ToolCallFragment): ToolCallFragment[] {
    const { index, id, name, json, isCustom } = callPiece(piece)
    const call = this.#calls.get(index) ?? { id: '', name: '', json: '', isCustom, state: 'unknown' as const }
    this.#calls.set(index, call)
    call.id ||= id
    call.name ||= name
    call.json += json
    if (call.state === 'unknown' && call.name) call.state = this.#stateOf(call.name)
    if (call.state !== 'passed') return []
    const numbers = [...this.#calls].filter(([, { state }]) => state === 'passed').map(([number]) => number)
    this.#passedCalls = numbers.length
    return [{ ...piece, index: numbers.indexOf(index) }]
  }

  #stateOf(name: string): HeldCall['state'] {
    if (this.#loop.runs(name)) return 'ours'
    return [...this.#calls.values()].some(({ state }) => state === 'ours') ? 'kept' : 'passed'
  }
}

function toCall({ id, name, json, isCustom }: HeldCall): ToolCall {
  return isCustom
    ? { id, type: 'custom', custom: { name, input: json } }
    : { id, type: 'function', function: { name, arguments: json } }
}
