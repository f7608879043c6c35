import { cutToolCall } from '../answer/complete-tool-calls.ts'
import { type Ending, endingOf, unfinished } from '../answer/finish-reason.ts'

/** The model failed. What it wrote before is passed on, and is not all that it wanted to write. */
const BREAKDOWNS: ReadonlySet<unknown> = new Set([
  ...['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MISSING_THOUGHT_SIGNATURE'],
  ...['MALFORMED_RESPONSE', 'OTHER', 'NO_IMAGE', 'IMAGE_OTHER'],
])

/** Gemini reports STOP for calls as well. */
export function toEnding(reason: unknown, hasCalls: boolean): Ending {
  if (BREAKDOWNS.has(reason)) return unfinished(String(reason))
  const end = endingOf(reason)
  return end.finish_reason === 'stop' && hasCalls ? { finish_reason: 'tool_calls' } : end
}

/** Refuses an answer that is said to be complete although the arguments of its last call are not. */
export function refuseOpenCall({ hasOpenCall }: { hasOpenCall: boolean }, { finish_reason }: Ending): void {
  if (hasOpenCall && finish_reason !== 'length' && finish_reason !== 'content_filter') throw cutToolCall()
}

/** The model ended in a way that is no proper end and no limit. If it wrote nothing before, there is no answer. */
export function isBreakdown({ native_finish_reason }: Ending): boolean {
  return native_finish_reason !== undefined
}
