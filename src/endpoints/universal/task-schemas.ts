import { validationProblemOf } from '../../contract/validation-problem.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import { type Validator, validator } from '../../base/schema/validator.ts'
import type { Feature } from '../../translation/tasks/feature.ts'
import { fileFieldsIn } from '../../translation/tasks/file-fields.ts'

// Schemas are compiled when a task is first used. Compiling all fifty would slow down every start for the few that are used.

type Checks = { input: Validator<unknown>; output: Validator<unknown>; fileFields: string[] }

const checks = new WeakMap<Feature, Checks>()
const MAX_ISSUES_SHOWN = 100

export function checkInput(feature: Feature, input: unknown): void {
  const { input: schema } = checksOf(feature)
  const loc = ['body', 'input']
  const issues = schema.check(input) ? (feature.rules?.(input, loc) ?? []) : schema.issues(input, loc)
  if (issues.length > 0) throw validationProblemOf(issues.slice(0, MAX_ISSUES_SHOWN))
}

export function outputIssues(feature: Feature, output: unknown): ValidationIssue[] {
  const { output: schema } = checksOf(feature)
  return schema.check(output) ? [] : schema.issues(output, ['output'])
}

/** Names of the input fields that contain files. */
export function fileFieldsOf(feature: Feature): string[] {
  return checksOf(feature).fileFields
}

function checksOf(feature: Feature): Checks {
  const cached = checks.get(feature)
  if (cached) return cached
  const made = {
    input: validator(feature.input),
    output: validator(feature.output),
    fileFields: fileFieldsIn(feature.input),
  }
  checks.set(feature, made)
  return made
}
