import type { ValidationIssue } from '../base/schema/validation-issue.ts'

/** What is wrong with a flag, from what the schema says about its field. */
export function flagProblem(flag: string, { msg, type }: ValidationIssue): string {
  return type === 'missing' ? `${flag} is required` : `${flag}: ${msg}`
}
