import type { FinishReason } from '../../contract/chat-reply.ts'
import { recordOf, textOf } from '../../schema/record.ts'
import { type Ending, endingOf } from '../answer/finish-reason.ts'

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
])

/** `tool_use` means calls for the caller. The tool that only carries an answer does not count. */
export function ending(stopReason: unknown, hasCalls: boolean): Ending {
  const own = hasCalls ? 'tool_calls' : 'stop'
  if (textOf(stopReason) === '' || stopReason === 'tool_use') return { finish_reason: own }
  return endingOf(textOf(stopReason), REASONS.get(stopReason))
}

/** The explanation of a refusal. The reply itself may be empty or incomplete. */
export function refusalOf(stopReason: unknown, details: unknown): string | undefined {
  if (stopReason !== 'refusal') return undefined
  const { explanation, category } = recordOf(details)
  if (typeof explanation === 'string' && explanation) return explanation
  return typeof category === 'string' ? `The model declined to answer (${category}).` : 'The model declined to answer.'
}
