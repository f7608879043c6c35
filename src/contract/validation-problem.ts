import type { ValidationIssue } from '../base/schema/validation-issue.ts'
import { problem } from './problems.ts'

/** The problem for a list of issues: its message names the first one. */
export function validationProblemOf(detail: ValidationIssue[]) {
  const { loc, msg } = detail[0]!
  const more = detail.length > 1 ? ` (and ${detail.length - 1} more)` : ''
  return problem('validation_error', {
    message: `${loc.slice(1).join('.')}: ${msg}${more}`,
    param: loc.slice(1).join('.'),
    detail,
  })
}
