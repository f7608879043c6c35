import { type Loc, valueError } from '../../schema/issue-messages.ts'
import { type Problem, problem } from '../../contract/problems.ts'
import type { ValidationIssue } from '../../schema/validation-issue.ts'
import { type Refused, WHY } from './refusal.ts'
import { shortened } from './shortened.ts'

const MAX_NAMED = 5
const RETRY_AFTER_SECONDS = 1

export const CANDIDATES_LOC: Loc = ['body', 'router_candidates']

/** If all candidates that fit have open circuits, waiting helps and changing the request does not, so it is not a validation error. */
export function noCandidate(refused: readonly Refused[]): Problem {
  const resting = refused.filter(({ reason }) => reason === 'circuit_open')
  if (resting.length > 0) {
    const message = `Every candidate of the router that fits the request is paused after failures: ${listed(resting)}.`
    return problem('overloaded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
  const reasons = refused.length > 0 ? `: ${listed(refused)}` : '. No chat model is set up here'
  return invalidCandidates([valueError(CANDIDATES_LOC, `No candidate of the router can take this request${reasons}`)])
}

export function invalidCandidates(issues: ValidationIssue[]): Problem {
  const message = `${issues.map(({ msg }) => msg).join('; ')}.`
  return problem('validation_error', { message, param: 'router_candidates', detail: issues })
}

function listed(refused: readonly Refused[]): string {
  const named = refused.slice(0, MAX_NAMED).map(({ id, reason }) => `'${shortened(id)}' (${WHY[reason]})`)
  const others = refused.length - named.length
  return named.join(', ') + (others > 0 ? ` and ${others} more` : '')
}
