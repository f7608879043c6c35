import type { FinishReason } from '../../contract/chat-reply.ts'

const ENDS = new Map<string, FinishReason>([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  // The answer is longer than one reply may be.
  ['CONTINUATION', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
])

/** Gemini reports STOP for calls as well. An unknown reason counts as a normal end. */
export function toFinishReason(reason: string, hasCalls: boolean): FinishReason {
  const end = ENDS.get(reason) ?? 'stop'
  return end === 'stop' && hasCalls ? 'tool_calls' : end
}

/** The model failed. If it wrote nothing before, there is no answer (MALFORMED_FUNCTION_CALL, OTHER, …). */
export function isBreakdown(reason: string): boolean {
  return !ENDS.has(reason)
}
