import type { Static, TSchema } from './type.ts'
import { Compile } from 'typebox/schema'
import type { Loc } from './fault-words.ts'
import { faults } from './faults.ts'
import { readSchema } from './json-schema.ts'
import type { Fault } from './problems.ts'

export type Validator<Value> = {
  /** Compiled; for the hot path. */
  check(value: unknown): value is Value
  /** Every fault, up to a bound; for a value that `check` refused. Empty exactly when `check` passes. */
  faults(value: unknown, loc: Loc): Fault[]
}

export function validator<Schema extends TSchema>(schema: Schema): Validator<Static<Schema>> {
  const compiled = Compile(schema)
  const readable = readSchema(schema)
  return {
    check: (value): value is Static<Schema> => compiled.Check(value),
    faults: (value, loc) => faults(readable, value, loc),
  }
}
