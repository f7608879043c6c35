import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import type { WireEvent } from '../../contract/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { ChatDecoder } from '../dialect.ts'
import { problemIn } from './problem.ts'

export function decoder(request: ChatRequest): ChatDecoder {
  return new OpenAiDecoder(request.n ?? 1)
}

class OpenAiDecoder implements ChatDecoder {
  readonly #choicesAsked: number
  readonly #begun = new Set<number>()
  readonly #finished = new Set<number>()
  done = false
  malformed = 0

  constructor(choicesAsked: number) {
    this.#choicesAsked = choicesAsked
  }

  /** `[DONE]` alone ends a stream too, and a stream that has all its finish reasons needs no `[DONE]`. */
  get ended() {
    return this.done || (this.#finished.size >= this.#choicesAsked && this.#finished.size >= this.#begun.size)
  }

  feed({ data }: WireEvent): ChatChunk[] {
    if (this.done) return []
    if (data === '[DONE]') {
      this.done = true
      return []
    }
    const chunk = tryParse(data)
    const error = problemIn(chunk)
    if (error) throw error
    if (!isChunk(chunk)) {
      this.malformed++
      return []
    }
    chunk.choices = chunk.choices.filter((choice) => this.#follow(choice))
    return [chunk]
  }

  /** Sees to the grammar: the role once, at the beginning, and nothing after the finish reason. False: not to be passed on. */
  #follow(choice: ChatChunk['choices'][number]): boolean {
    choice.index ??= 0
    if (this.#finished.has(choice.index)) return false
    const delta = choice.delta ?? {}
    const isFirst = !this.#begun.has(choice.index)
    if (isFirst) this.#begun.add(choice.index)
    if (!isFirst && delta.role !== undefined) delete delta.role
    if (delta.tool_calls?.length === 0) delete delta.tool_calls
    delta.tool_calls?.forEach((call, at) => {
      call.index ??= at
    })
    choice.delta = isFirst ? { ...delta, role: 'assistant' } : delta
    if (choice.finish_reason) this.#finished.add(choice.index)
    return true
  }
}

function isChunk(value: unknown): value is ChatChunk {
  if (typeof value !== 'object' || value === null || !('choices' in value) || !Array.isArray(value.choices))
    return false
  return value.choices.every((choice) => typeof choice === 'object' && choice !== null)
}
