import type { Loc } from '../../base/schema/issue-messages.ts'
import { type Problem, problem } from '../../contract/problems.ts'

/** The problem of a hook that blocks. The text itself is not repeated, because it would end up in logs. */
export function blocked(reason: string, loc: Loc): Problem {
  const [, field, index] = loc
  const what = field === 'pre_hooks' ? 'The request' : 'The answer'
  const message = `${what} was blocked by ${field}.${index}: ${reason}.`
  return problem('content_blocked', { message, param: `${field}.${index}` })
}
