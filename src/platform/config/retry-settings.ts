import { mapOf } from '../../base/schema/fields.ts'
import Type from '../../base/schema/type.ts'
import { MAX_RETRIES } from './aliases/alias-limits.ts'
import { checkSection } from './section.ts'
import { refuseUnknownProviders } from './unknown-provider.ts'

/** How often a target is asked again, by `provider` or `provider/model`; the more specific name wins. */
export type RetrySettings = Readonly<Record<string, number>>

const Settings = mapOf(Type.Integer({ minimum: 0, maximum: MAX_RETRIES }))

export function readRetries(value: unknown, providers: Readonly<Record<string, unknown>>): RetrySettings {
  if (value === undefined) return {}
  checkSection('retries', Settings, value)
  refuseUnknownProviders('retries', value as RetrySettings, providers)
  return value as RetrySettings
}
