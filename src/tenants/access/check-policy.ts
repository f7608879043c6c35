import type { Policy } from '../../contract/admin/policy.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import { hookIssues } from '../../translation/hooks/index.ts'

/** Refuses a policy whose hooks cannot run: every chat would fail because of it. */
export function checkPolicy({ pre_hooks, post_hooks }: Policy): void {
  const issues = hookIssues({ model: '', messages: [], pre_hooks, post_hooks })
  if (issues.length === 0) return
  throw validationProblemOf(issues.map((issue) => ({ ...issue, loc: ['body', 'policy', ...issue.loc.slice(1)] })))
}
