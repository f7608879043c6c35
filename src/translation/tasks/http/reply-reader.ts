import type { Static, TSchema } from '../../../base/schema/type.ts'
import { type Validator, validator } from '../../../base/schema/validator.ts'
import { TaskFailure } from './task-failure.ts'

/** Checks an answer against its schema. The schema is compiled on first use, because most providers are never used. */
export function replyReader<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  let compiled: Validator<Static<Schema>> | undefined
  return (value) => {
    compiled ??= validator(schema)
    if (compiled.check(value)) return value
    throw new TaskFailure('garbage', 'the answer of the provider could not be read')
  }
}
