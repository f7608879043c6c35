import * as say from '../../../base/schema/issue-messages.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import type { StepBudget } from '../step-budget.ts'

/** Counts characters as JSON Schema does: a surrogate pair is one. */
export function characterCount(text: string, budget: StepBudget): number {
  budget.spendChars(text.length)
  let count = text.length
  for (let at = 1; at < text.length; at++) if (isPairAt(text, at)) count -= 1
  return count
}

function isPairAt(text: string, at: number): boolean {
  const low = text.charCodeAt(at)
  if (low < 0xdc00 || low > 0xdfff) return false
  const high = text.charCodeAt(at - 1)
  return high >= 0xd800 && high < 0xdc00
}

/** At most one issue: the first bound of the schema that the number violates. */
export function numberIssue(schema: Record<string, unknown>, value: number, loc: () => say.Loc): ValidationIssue[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<string, number>
  if (minimum !== undefined && value < minimum) return [say.tooSmall(loc(), minimum)]
  if (maximum !== undefined && value > maximum) return [say.tooLarge(loc(), maximum)]
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return [say.valueError(loc(), `Input should be greater than ${exclusiveMinimum}`)]
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return [say.valueError(loc(), `Input should be less than ${exclusiveMaximum}`)]
  const isMultiple = multipleOf === undefined || Math.abs(value / multipleOf - Math.round(value / multipleOf)) < 1e-9
  return isMultiple ? [] : [say.valueError(loc(), `Input should be a multiple of ${multipleOf}`)]
}
