import type { Static, TSchema } from '../../schema/type.ts'
import { type Validator, validator } from '../../schema/validator.ts'
import { TaskFailure } from './task-failure.ts'

/** Reads what a provider answered as what it should be. Compiled when it is first needed: most providers never are. */
export function replyReader<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  let compiled: Validator<Static<Schema>> | undefined
  return (value) => {
    compiled ??= validator(schema)
    if (compiled.check(value)) return value
    throw new TaskFailure('garbage', 'the provider answered with something that could not be read')
  }
}
