import { Build } from 'typebox/schema'
import type { Static, TSchema } from './type.ts'
import type { Loc } from './issue-messages.ts'
import { issues } from './validation-issues.ts'
import { readSchema } from './json-schema.ts'
import type { ValidationIssue } from './validation-issue.ts'

export type Validator<Value> = {
  /** The compiled check, for the hot path. */
  check(value: unknown): value is Value
  /** All issues, up to a limit, of a value that `check` refused. Empty exactly when `check` passes. */
  issues(value: unknown, loc: Loc): ValidationIssue[]
}

/** Compiling is slow, so each schema is compiled once, on first use, however many routes and gateways use it. */
const validators = new WeakMap<TSchema, Validator<unknown>>()

export function validator<Schema extends TSchema>(schema: Schema): Validator<Static<Schema>> {
  const validator = validators.get(schema) ?? madeFor(schema)
  validators.set(schema, validator)
  return validator as Validator<Static<Schema>>
}

function madeFor(schema: TSchema): Validator<unknown> {
  const readable = readSchema(schema)
  let compiled: ReturnType<ReturnType<typeof Build>['Evaluate']> | undefined
  return {
    check: (value): value is unknown => {
      compiled ??= Build(schema).Evaluate()
      return compiled.Check(value)
    },
    issues: (value, loc) => issues(readable, value, loc),
  }
}
