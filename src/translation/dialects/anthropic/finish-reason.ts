import { recordOf } from '../../../base/schema/record.ts'
import { type Ending, endingOf } from '../answer/finish-reason.ts'

/** `tool_use` means calls for the caller. The tool that only carries an answer does not count. */
export function ending(stopReason: unknown, hasCalls: boolean): Ending {
  const end = endingOf(stopReason)
  return end.finish_reason === 'tool_calls' && !hasCalls ? { finish_reason: 'stop' } : end
}

/** The explanation of a refusal. The reply itself may be empty or incomplete. */
export function refusalOf(stopReason: unknown, details: unknown): string | undefined {
  if (stopReason !== 'refusal') return undefined
  const { explanation, category } = recordOf(details)
  if (typeof explanation === 'string' && explanation) return explanation
  return typeof category === 'string' ? `The model declined to answer (${category}).` : 'The model declined to answer.'
}
