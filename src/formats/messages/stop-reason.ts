import type { FinishReason } from '../../contract/chat-reply.ts'

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

/** Other formats do not report which stop sequence ended the answer. */
export function stopReason(reason: FinishReason | null, hasCalls: boolean): string {
  if (hasCalls && reason !== 'length') return 'tool_use'
  return reason ? (REASONS[reason] ?? 'end_turn') : 'end_turn'
}
