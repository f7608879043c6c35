import { type Loc, valueError } from '../../../base/schema/issue-messages.ts'
import { type Problem, problem } from '../../../contract/problems.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import { type Reason, type Refused, WHY } from './refusal.ts'
import { shortened } from './shortened.ts'

const MAX_NAMED = 5
const RETRY_AFTER_SECONDS = 1

export const CANDIDATES_LOC: Loc = ['body', 'router_candidates']

/**
 * If all candidates that fit have open circuits, waiting helps and changing the request does not, so it is not a validation error.
 * Neither is it one if the caller may use none of them. `against` is what the policy says about the first one that it forbids.
 */
export function noCandidate(refused: readonly Refused[], against?: Problem): Problem {
  const resting = refused.filter(({ reason }) => reason === 'circuit_open')
  if (resting.length > 0) {
    const message = `Every candidate of the router that fits the request is paused after failures: ${listed(resting)}.`
    return problem('overloaded', { message, retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
  if (refused.length > 0 && refused.every(({ reason }) => FORBIDDEN.has(reason))) return forbidden(refused, against)
  const reasons = refused.length > 0 ? `: ${listed(refused)}` : '. No chat model is set up here'
  return invalidCandidates([valueError(CANDIDATES_LOC, `No candidate of the router can take this request${reasons}`)])
}

const FORBIDDEN: ReadonlySet<Reason> = new Set(['policy', 'scope', 'region'])

function forbidden(refused: readonly Refused[], against: Problem | undefined): Problem {
  const message = `This key may use no candidate of the router: ${listed(refused)}.`
  const isScope = refused.some(({ reason }) => reason === 'scope')
  const isOutside = against ? against.details.members?.policy === 'region' : !isScope
  const members = against?.details.members
  const code = isOutside ? 'region_not_allowed' : 'not_allowed'
  return problem(code, { message, param: 'router_candidates', ...(members && { members }) })
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
