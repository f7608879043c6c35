import type { Static, TSchema } from '../../base/schema/type.ts'
import { type Validator, validator } from '../../base/schema/validator.ts'

/** The answer of a check says nothing that can be relied on, so its texts count as not checked. */
export class UnreadableVerdict extends Error {
  override readonly name = 'UnreadableVerdict'
}

/** Checks the answer of a check against its schema, which is compiled on first use. */
export function verdictReader<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  let compiled: Validator<Static<Schema>> | undefined
  return (value) => {
    compiled ??= validator(schema)
    if (compiled.check(value)) return value
    throw new UnreadableVerdict('the answer of the check could not be read')
  }
}
