import type { FinishReason } from '../../contract/chat-reply.ts'
import { type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'

/** OpenAI's own, and what compatible hosts say for them. */
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

/** Words that mean that the answer broke off. */
const FAILED: ReadonlyMap<string, ProblemKind> = new Map([
  ['error', 'server_error'],
  ['network_error', 'server_error'],
  ['insufficient_system_resource', 'overloaded'],
])

/** A reason that is not known yet is an end like any other; one that means failure is no end. */
export function finishReason(reason: string): FinishReason {
  const failure = FAILED.get(reason)
  if (failure) throw new UpstreamProblem(failure, `the provider ended its answer with ${reason}`)
  return FINISH_REASONS.get(reason) ?? 'stop'
}
