import Type, { type Static } from '../../schema/type.ts'
import { ConfigError } from '../config-error.ts'
import { checkSection } from '../section.ts'

const MAX_RECEIVERS = 20
const Receiver = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    url: Type.String({ minLength: 1, maxLength: 2_000 }),
    format: Type.Optional(Type.Enum(['webhook'])),
  },
  { additionalProperties: false },
)
const Settings = Type.Object(
  { receivers: Type.Optional(Type.Array(Receiver, { maxItems: MAX_RECEIVERS })) },
  { additionalProperties: false },
)

/** Who is told when a limit reaches a fraction of its amount. */
export type AlertReceiver = Static<typeof Receiver>

export function readAlerts(value: unknown): readonly AlertReceiver[] {
  if (value === undefined) return []
  checkSection('alerts', Settings, value)
  const { receivers = [] } = value as Static<typeof Settings>
  for (const [index, { url }] of receivers.entries())
    if (!/^https?:\/\/./.test(url) || !URL.canParse(url))
      throw new ConfigError(`alerts.receivers.${index}.url: should be an http:// or https:// address`)
  return receivers
}
