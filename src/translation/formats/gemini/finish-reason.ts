import type { FinishReason } from '../../../contract/chat-reply.ts'

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  // This format has no reason of its own for calls.
  tool_calls: 'STOP',
  function_call: 'STOP',
  content_filter: 'SAFETY',
}

/** Without a reason, the answer may not be complete. */
export function finishReason(reason: FinishReason | null): string {
  return REASONS[reason ?? 'length']
}
