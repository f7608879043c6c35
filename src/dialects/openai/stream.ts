import type { ChatRequest } from '../../contract/chat.ts'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import type { WireEvent } from '../../contract/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { ChatDecoder } from '../dialect.ts'
import { isRecord, recordsIn } from '../record.ts'
import { problemIn } from './problem.ts'
import { settleUsage } from './usage.ts'

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
    const finished = this.#finished.size
    chunk.choices = chunk.choices.filter((choice) => this.#follow(choice))
    // Counts come as they should, or else with an end: nowhere else is it worth looking.
    if (chunk.usage || this.#finished.size > finished) settleUsage(chunk)
    return [chunk]
  }

  /** Sees to the grammar: the role once, at the beginning, and nothing after the finish reason. False: not to be passed on. */
  #follow(choice: ChatChunk['choices'][number]): boolean {
    choice.index ??= 0
    if (this.#finished.has(choice.index)) return false
    const delta = isRecord(choice.delta) ? choice.delta : {}
    const isFirst = !this.#begun.has(choice.index)
    if (isFirst) this.#begun.add(choice.index)
    if (!isFirst && delta.role !== undefined) delete delta.role
    if (delta.tool_calls != null) numberCalls(delta)
    choice.delta = isFirst ? { ...delta, role: 'assistant' } : delta
    if (choice.finish_reason) this.#finished.add(choice.index)
    return true
  }
}

/** Some hosts leave the numbers out, and agents take an empty list for calls. */
function numberCalls(delta: ChatChunk['choices'][number]['delta']): void {
  const calls = recordsIn(delta.tool_calls) as NonNullable<typeof delta.tool_calls>
  for (const [at, call] of calls.entries()) call.index ??= at
  if (calls.length > 0) delta.tool_calls = calls
  else delete delta.tool_calls
}

function isChunk(value: unknown): value is ChatChunk {
  return isRecord(value) && Array.isArray(value.choices) && value.choices.every(isRecord)
}
