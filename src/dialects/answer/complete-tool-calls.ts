import type { ChatChunk, ChatCompletion, FinishReason } from '../../contract/chat-reply.ts'
import { JsonBrackets } from '../../json/json-brackets.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../schema/record.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { WrappedDecoder } from './wrapped-decoder.ts'

/** The model was stopped in the middle of whatever it was writing. Its caller can see that. */
const STOPPED: ReadonlySet<FinishReason> = new Set(['length', 'content_filter'])
/** The number of a call in the old form, of which an answer has only one. */
const OLD_CALL = -1

/** Refuses an answer with a tool call whose arguments break off, although the provider says that the answer is complete. */
export class CompleteToolCallsDecoder extends WrappedDecoder {
  /** The arguments of the calls, by choice and call. */
  readonly #choices = new Map<number, Map<number, JsonBrackets>>()

  protected read(event: WireEvent): ChatChunk[] {
    const chunks = this.inner.feed(event)
    for (const { choices } of chunks) for (const choice of choices) this.#follow(choice)
    return chunks
  }

  #follow({ index, delta, finish_reason }: ChatChunk['choices'][number]): void {
    if (delta?.tool_calls) for (const call of delta.tool_calls) this.#add(index, call.index, call.function)
    if (delta?.function_call) this.#add(index, OLD_CALL, delta.function_call)
    if (finish_reason && !STOPPED.has(finish_reason)) refuseOpen(this.#choices.get(index)?.values() ?? [])
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
  for (const { message, finish_reason } of choices)
    if (!finish_reason || !STOPPED.has(finish_reason)) refuseOpen(callsOf(message).map(bracketsOf))
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

function refuseOpen(calls: Iterable<JsonBrackets>): void {
  for (const { isOpen } of calls) if (isOpen) throw cutToolCall()
}

export function cutToolCall(): UpstreamProblem {
  return new UpstreamProblem('cut', 'the arguments of a tool call break off in the middle')
}
