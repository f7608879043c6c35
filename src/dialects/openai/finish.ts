import type { FinishReason } from '../../contract/chat-reply.ts'
import { type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'

/** OpenAI's reasons, and the variants of compatible hosts. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['function_call', 'function_call'],
  ['eos', 'stop'],
  ['end', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['tool_use', 'tool_calls'],
  ['sensitive', 'content_filter'],
])

/** Reasons that mean that the answer was cut off. */
const FAILED: ReadonlyMap<string, ProblemKind> = new Map([
  ['error', 'server_error'],
  ['network_error', 'server_error'],
  ['insufficient_system_resource', 'overloaded'],
])

/** An unknown reason counts as a normal end; a reason that means failure does not. */
export function finishReason(reason: string): FinishReason {
  const failure = FAILED.get(reason)
  if (failure) throw new UpstreamProblem(failure, `the provider ended its answer with ${reason}`)
  return FINISH_REASONS.get(reason) ?? 'stop'
}
