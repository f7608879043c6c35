import { mapOf } from '../schema/fields.ts'
import Type from '../schema/type.ts'
import { validator } from '../schema/validator.ts'
import { MAX_RETRIES } from './aliases/alias-limits.ts'
import { ConfigError } from './config-error.ts'

/** How often a target is asked again, by `provider` or `provider/model`; the more specific name wins. */
export type RetrySettings = Readonly<Record<string, number>>

const retries = validator(mapOf(Type.Integer({ minimum: 0, maximum: MAX_RETRIES })))

export function readRetries(value: unknown): RetrySettings {
  if (value === undefined) return {}
  if (retries.check(value)) return value as RetrySettings
  const faults = retries.issues(value, ['retries']).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
  throw new ConfigError(faults.join('; '))
}
