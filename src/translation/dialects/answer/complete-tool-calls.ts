import type { ChatCompletion, ChunkChoice, FinishReason } from '../../../contract/chat-reply.ts'
import { JsonBrackets } from '../../json/json-brackets.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'

// An answer with a tool call whose arguments break off is refused, although the provider says that the answer is complete.

/** The model was stopped in the middle of its answer. The caller sees that in the finish reason. */
const STOPPED: ReadonlySet<FinishReason> = new Set(['length', 'content_filter'])
/** The number of a call in the old form, of which an answer has only one. */
const OLD_CALL = -1

/** The tool calls of a streamed answer. */
export class StreamedCalls {
  /** The arguments of the calls, by choice and call. */
  readonly #choices = new Map<number, Map<number, JsonBrackets>>()
  readonly #stopped = new Set<number>()

  /** Whether a call waits for the rest of its arguments. */
  get areOpen(): boolean {
    return this.#choices.entries().some(([index, calls]) => !this.#stopped.has(index) && hasOpen(calls))
  }

  follow({ index, delta, finish_reason }: ChunkChoice): void {
    if (delta?.tool_calls) for (const call of delta.tool_calls) this.#add(index, call.index, call.function)
    if (delta?.function_call) this.#add(index, OLD_CALL, delta.function_call)
    if (finish_reason && STOPPED.has(finish_reason)) this.#stopped.add(index)
    else if (finish_reason && hasOpen(this.#choices.get(index))) throw cutToolCall()
  }

  #add(choice: number, call: number, called: unknown): void {
    const calls = this.#choices.get(choice) ?? new Map<number, JsonBrackets>()
    const brackets = calls.get(call) ?? new JsonBrackets()
    brackets.add(textOf(recordOf(called).arguments))
    this.#choices.set(choice, calls.set(call, brackets))
  }
}

/** The same rule for an answer in one piece. */
export function refuseCutToolCalls({ choices }: ChatCompletion): void {
  for (const { message, finish_reason } of choices) {
    const isStopped = finish_reason && STOPPED.has(finish_reason)
    if (!isStopped && callsOf(message).map(bracketsOf).some(isOpen)) throw cutToolCall()
  }
}

function callsOf({ tool_calls, function_call }: Fields): unknown[] {
  if (!tool_calls && !function_call) return NO_CALLS
  return [...recordsIn(tool_calls).map((call) => call.function), function_call]
}

const NO_CALLS: unknown[] = []

function bracketsOf(called: unknown): JsonBrackets {
  const brackets = new JsonBrackets()
  brackets.add(textOf(recordOf(called).arguments))
  return brackets
}

function hasOpen(calls: ReadonlyMap<number, JsonBrackets> | undefined): boolean {
  return calls?.values().some(isOpen) ?? false
}

function isOpen(call: JsonBrackets): boolean {
  return call.isOpen
}

export function cutToolCall(): UpstreamProblem {
  return new UpstreamProblem('cut', 'the arguments of a tool call break off in the middle')
}
