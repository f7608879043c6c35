import type { FinishReason } from '../../contract/chat-reply.ts'

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

/** Which stop sequence it was, if it was one, other formats do not tell. */
export function stopReason(reason: FinishReason | null, hasCalls: boolean): string {
  if (hasCalls && reason !== 'length') return 'tool_use'
  return reason ? (REASONS[reason] ?? 'end_turn') : 'end_turn'
}
