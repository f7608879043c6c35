import { listTooLong, listTooShort } from '../../../base/schema/issue-messages.ts'
import type { Candidate } from './candidate.ts'
import type { CandidatePool } from './candidate-pool.ts'
import { CANDIDATES_LOC, invalidCandidates } from './no-candidate.ts'
import type { Refused } from './refusal.ts'
import { shortened } from './shortened.ts'

export const MAX_CANDIDATES = 2_000

/** The candidates that a request names, without duplicates. Those that do not exist are left out, and the decision names them. */
export function namedCandidates(
  ids: readonly string[],
  pool: CandidatePool,
): { candidates: Candidate[]; unknown: Refused[] } {
  if (ids.length === 0) throw invalidCandidates([listTooShort(CANDIDATES_LOC, 1, 0)])
  if (ids.length > MAX_CANDIDATES) throw invalidCandidates([listTooLong(CANDIDATES_LOC, MAX_CANDIDATES, ids.length)])
  const found = new Map<string, Candidate>()
  const unknown: Refused[] = []
  for (const id of ids) {
    const candidate = pool.find(id)
    if (candidate) found.set(candidate.id, candidate)
    else unknown.push({ id: shortened(id), reason: 'unknown' })
  }
  return { candidates: [...found.values()], unknown }
}
