import { meantBy } from '../../base/schema/meant-name.ts'
import type { TSchema } from '../../base/schema/type.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import { validator } from '../../base/schema/validator.ts'
import { ConfigError } from './config-error.ts'

/** Checks a section of the config file. The error has the path of each mistake, and the name that an unknown one may mean. */
export function checkSection(name: string, schema: TSchema, value: unknown): void {
  const { check, issues } = validator(schema)
  if (check(value)) return
  throw new ConfigError(
    issues(value, [name])
      .map((issue) => lineOf(issue, schema))
      .join('; '),
  )
}

function lineOf(issue: ValidationIssue, schema: TSchema): string {
  const { loc, msg } = issue
  const hint = meantBy(issue, schema)
  return `${loc.join('.')}: ${msg}${hint && `.${hint}`}`
}
