import type { HealedJson } from '../../contract/engines.ts'
import { jsonInvalid } from '../../contract/fault-words.ts'
import type { StepBudget } from '../step-budget.ts'
import { valueFaults } from './check-value.ts'
import { healJson } from './heal-json.ts'

/** An answer as JSON that fits the schema, or what is wrong with it. Throws `OutOfSteps` when the budget is spent. */
export function healAnswer(content: string, schema: unknown, budget: StepBudget): HealedJson {
  const text = healJson(content, budget)
  if (text === undefined) return { faults: [jsonInvalid([])] }
  const faults = valueFaults(schema, JSON.parse(text), budget)
  if (faults.length > 0) return { faults }
  // What was JSON to begin with stays as it was written, to the last blank.
  return { text: text === content.trim() ? content : text }
}
