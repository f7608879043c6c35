import type { FinishReason } from '../../contract/chat-reply.ts'
import { type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'
import { type Ending, endingOf } from '../answer/finish-reason.ts'
import { toText } from '../../schema/to-primitive.ts'

/** OpenAI's reasons, and the variants of compatible hosts. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['function_call', 'function_call'],
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['end', 'stop'],
  ['end_turn', 'stop'],
  ['complete', 'stop'],
  ['completed', 'stop'],
  ['stop_sequence', 'stop'],
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['max_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['tool_call', 'tool_calls'],
  ['sensitive', 'content_filter'],
  ['safety', 'content_filter'],
  ['recitation', 'content_filter'],
  ['refusal', 'content_filter'],
])

/** Reasons that mean that the answer was cut off. */
const FAILED: ReadonlyMap<string, ProblemKind> = new Map([
  ['error', 'server_error'],
  ['network_error', 'server_error'],
  ['abort', 'server_error'],
  ['aborted', 'server_error'],
  ['cancelled', 'server_error'],
  ['canceled', 'server_error'],
  ['timeout', 'timeout'],
  ['insufficient_system_resource', 'overloaded'],
])

/** Undefined while there is no reason: hosts send null, an empty text, or the word `null` until the end. */
export function endingIn(reason: unknown): Ending | undefined {
  if (!reason || reason === 'null') return undefined
  const word = toText(reason)
  const lower = word.toLowerCase()
  const failure = FAILED.get(lower)
  if (failure) throw new UpstreamProblem(failure, `the provider ended its answer with ${word}`)
  return endingOf(word, FINISH_REASONS.get(lower))
}
