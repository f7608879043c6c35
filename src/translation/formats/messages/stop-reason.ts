import type { FinishReason } from '../../../contract/chat-reply.ts'

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

/**
 * Other formats do not report which stop sequence ended the answer. Without a reason, the answer may not be complete.
 */
export function stopReason(reason: FinishReason | null, hasCalls: boolean): string {
  if (hasCalls && reason === 'stop') return 'tool_use'
  return REASONS[reason ?? 'length']
}
