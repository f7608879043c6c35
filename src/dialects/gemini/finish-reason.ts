import type { FinishReason } from '../../contract/chat-reply.ts'
import { type Ending, endingOf, unfinished } from '../answer/finish-reason.ts'
import { cutToolCall } from '../answer/complete-tool-calls.ts'

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

/** The model failed. What it wrote before is passed on, and is not all that it wanted to write. */
const FAILED: ReadonlySet<string> = new Set([
  ...['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MISSING_THOUGHT_SIGNATURE'],
  ...['MALFORMED_RESPONSE', 'OTHER', 'NO_IMAGE', 'IMAGE_OTHER'],
])

/** Gemini reports STOP for calls as well. */
export function toEnding(reason: string, hasCalls: boolean): Ending {
  const known = ENDS.get(reason)
  if (FAILED.has(reason)) return unfinished(reason)
  return endingOf(reason, known === 'stop' && hasCalls ? 'tool_calls' : known)
}

/** Refuses an answer that is said to be complete although the arguments of its last call are not. */
export function refuseOpenCall({ hasOpenCall }: { hasOpenCall: boolean }, reason: string): void {
  if (hasOpenCall && (reason === '' || ENDS.get(reason) === 'stop')) throw cutToolCall()
}

/** The model failed. If it wrote nothing before, there is no answer (MALFORMED_FUNCTION_CALL, OTHER, …). */
export function isBreakdown(reason: string): boolean {
  return !ENDS.has(reason)
}
