import { closed } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { ConfigError } from './config-error.ts'
import { checkSection } from './section.ts'
import { isTimezone } from './spend-limits/limit-entry.ts'

const Settings = Type.Object(
  { enabled: Type.Optional(Type.Boolean()), timezone: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) },
  closed,
)

/** `enabled`: without it, there is nothing at `/v3/manage`. `timezone`: where days begin, for balances that reset and for usage. */
export type ManageSettings = { enabled: boolean; timezone: string }

/** Reads `manage` of the config file. */
export function readManage(value: unknown): ManageSettings {
  if (value !== undefined) checkSection('manage', Settings, value)
  const { enabled = false, timezone = 'UTC' } = (value ?? {}) as Static<typeof Settings>
  if (isTimezone(timezone)) return { enabled, timezone }
  throw new ConfigError('manage.timezone: should be the name of a time zone, such as Europe/Paris')
}
