import type { HealedJson } from '../../engine-api/engines.ts'
import { jsonInvalid } from '../../../base/schema/issue-messages.ts'
import type { StepBudget } from '../step-budget.ts'
import { valueIssues } from './check-value.ts'
import { healJson } from './heal-json.ts'

/**
 * Turns an answer into JSON that matches the schema, or lists what is wrong with it. Throws `OutOfSteps` when the budget is
 * used up.
 */
export function healAnswer(content: string, schema: unknown, budget: StepBudget): HealedJson {
  const text = healJson(content, budget)
  if (text === undefined) return { issues: [jsonInvalid([])] }
  const issues = valueIssues(schema, JSON.parse(text), budget)
  if (issues.length > 0) return { issues }
  // An answer that already was JSON stays unchanged, including white space.
  return { text: text === content.trim() ? content : text }
}
