import { listTooLong, listTooShort, valueError } from '../../../base/schema/issue-messages.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import type { Candidate } from './candidate.ts'
import type { CandidatePool } from './candidate-pool.ts'
import { CANDIDATES_LOC, invalidCandidates } from './no-candidate.ts'
import { shortened } from './shortened.ts'

export const MAX_CANDIDATES = 2_000
const MAX_ISSUES = 5

/** Removes duplicates. If one name does not exist, all are refused, so that the others do not hide a typo. */
export function namedCandidates(ids: readonly string[], pool: CandidatePool): Candidate[] {
  if (ids.length === 0) throw invalidCandidates([listTooShort(CANDIDATES_LOC, 1, 0)])
  if (ids.length > MAX_CANDIDATES) throw invalidCandidates([listTooLong(CANDIDATES_LOC, MAX_CANDIDATES, ids.length)])
  const found = new Map<string, Candidate>()
  const issues: ValidationIssue[] = []
  for (const [index, id] of ids.entries()) {
    const candidate = pool.find(id)
    if (candidate) found.set(candidate.id, candidate)
    else if (issues.length < MAX_ISSUES) issues.push(unknown(id, index))
  }
  if (issues.length > 0) throw invalidCandidates(issues)
  return [...found.values()]
}

function unknown(id: string, index: number): ValidationIssue {
  return valueError([...CANDIDATES_LOC, index], `There is no model '${shortened(id)}'`)
}
