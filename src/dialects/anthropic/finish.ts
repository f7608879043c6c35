import type { FinishReason } from '../../contract/chat-reply.ts'
import { recordOf } from '../../schema/record.ts'

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  // A long turn with server tools pauses. No more of it will follow.
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
])

/** `tool_use` means calls for the caller. The tool that only carries an answer does not count. */
export function finishReason(stopReason: unknown, hasCalls: boolean): FinishReason {
  return REASONS.get(stopReason) ?? (hasCalls ? 'tool_calls' : 'stop')
}

/** The explanation of a refusal. The reply itself may be empty or incomplete. */
export function refusalOf(stopReason: unknown, details: unknown): string | undefined {
  if (stopReason !== 'refusal') return undefined
  const { explanation, category } = recordOf(details)
  if (typeof explanation === 'string' && explanation) return explanation
  return typeof category === 'string' ? `The model declined to answer (${category}).` : 'The model declined to answer.'
}
