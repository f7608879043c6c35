import type { ChatRequest } from '../../contract/chat.ts'
import type { Answer, AnswerChunk } from '../../translation/wire/answer.ts'
import type { WireEvent } from '../../translation/wire/wire.ts'
import { WrappedDecoder } from '../../translation/dialects/answer/wrapped-decoder.ts'
import type { ChatCall } from '../../translation/dialects/chat-codec.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'
import { speaksResponses } from './responses/speaks-responses.ts'

// Old clients send `functions` and read `function_call`. Dialects that have only tools answer with `tool_calls`. The first
// of these becomes the `function_call`; the old format has no place for more.

/** Whether a client that uses the old function calls is answered by a dialect that does not have them. */
export function translatesLegacyFunctions(target: ChatTarget, call: ChatCall): boolean {
  if (!usesLegacyFunctions(call.request)) return false
  return target.provider.dialect !== 'openai' || speaksResponses(target, call)
}

export function usesLegacyFunctions({ functions, tools }: ChatRequest): boolean {
  return Boolean(functions?.length) && !tools?.length
}

export function toLegacyAnswer(completion: Answer): Answer {
  for (const choice of completion.choices) {
    const called = choice.message.tool_calls?.[0]?.function
    if (!called) continue
    choice.message.function_call = { name: called.name, arguments: called.arguments }
    delete choice.message.tool_calls
    if (choice.finish_reason === 'tool_calls') choice.finish_reason = 'function_call'
  }
  return completion
}

/** Like toLegacyAnswer, but for a stream. */
export class LegacyFunctionsDecoder extends WrappedDecoder {
  protected read(event: WireEvent): AnswerChunk[] {
    return this.inner.feed(event).map(toLegacyChunk)
  }
}

function toLegacyChunk(chunk: AnswerChunk): AnswerChunk {
  for (const choice of chunk.choices) {
    const { tool_calls, ...delta } = choice.delta ?? {}
    const called = tool_calls?.find(({ index }) => index === 0)?.function
    if (tool_calls) choice.delta = called ? { ...delta, function_call: called } : delta
    if (choice.finish_reason === 'tool_calls') choice.finish_reason = 'function_call'
  }
  return chunk
}
