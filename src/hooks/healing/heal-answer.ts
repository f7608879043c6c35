import type { HealedJson } from '../../engine-api/engines.ts'
import { jsonInvalid } from '../../schema/issue-messages.ts'
import type { StepBudget } from '../step-budget.ts'
import { valueIssues } from './check-value.ts'
import { healJson } from './heal-json.ts'

/** An answer as JSON that fits the schema, or what is wrong with it. Throws `OutOfSteps` when the budget is spent. */
export function healAnswer(content: string, schema: unknown, budget: StepBudget): HealedJson {
  const text = healJson(content, budget)
  if (text === undefined) return { issues: [jsonInvalid([])] }
  const issues = valueIssues(schema, JSON.parse(text), budget)
  if (issues.length > 0) return { issues }
  // What was JSON to begin with stays as it was written, to the last blank.
  return { text: text === content.trim() ? content : text }
}
