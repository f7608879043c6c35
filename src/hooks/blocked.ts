import type { Loc } from '../schema/issue-messages.ts'
import { type Problem, problem } from '../contract/problems.ts'

/** A hook was asked to stop this. The text itself is not repeated: it would stand in logs. */
export function blocked(reason: string, loc: Loc): Problem {
  const [, field, index] = loc
  const what = field === 'pre_hooks' ? 'The request' : 'The answer'
  const message = `${what} was blocked by ${field}.${index}: ${reason}.`
  return problem('content_blocked', { message, param: `${field}.${index}` })
}
