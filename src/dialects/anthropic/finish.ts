import type { FinishReason } from '../../contract/chat-reply.ts'
import { recordOf } from '../../schema/record.ts'

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  // A long turn with tools of the provider takes a break: what is here is all there will be.
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
])

/** `tool_use` means calls for the caller; the tool that only carries an answer is none. */
export function finishReason(stopReason: unknown, hasCalls: boolean): FinishReason {
  return REASONS.get(stopReason) ?? (hasCalls ? 'tool_calls' : 'stop')
}

/** What is told of a refusal. The reply itself may be empty, or break off. */
export function refusalOf(stopReason: unknown, details: unknown): string | undefined {
  if (stopReason !== 'refusal') return undefined
  const { explanation, category } = recordOf(details)
  if (typeof explanation === 'string' && explanation) return explanation
  return typeof category === 'string' ? `The model declined to answer (${category}).` : 'The model declined to answer.'
}
