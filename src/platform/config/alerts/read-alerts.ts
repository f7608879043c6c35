import { ALERT_RULES } from '../../../contract/admin/alert-rules.ts'
import { closed } from '../../../base/schema/fields.ts'
import Type from '../../../base/schema/type.ts'
import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { checkSection } from '../section.ts'
import type { AlertSettings, RuleChange } from './alerts.ts'
import { ReceiverEntry, readReceiver } from './receiver-settings.ts'
import { DAY_SECONDS } from '../../../base/units/units.ts'

const MAX_RECEIVERS = 50
const MAX_FOR_SECONDS = DAY_SECONDS

const RuleEntry = Type.Object(
  {
    on: Type.Optional(Type.Boolean()),
    threshold: Type.Optional(Type.Number({ minimum: 0 })),
    for: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_FOR_SECONDS })),
  },
  closed,
)

const Settings = Type.Object(
  {
    receivers: Type.Optional(Type.Array(ReceiverEntry, { maxItems: MAX_RECEIVERS })),
    rules: Type.Optional(
      Type.Object(Object.fromEntries(ALERT_RULES.map((rule) => [rule, Type.Optional(RuleEntry)])), closed),
    ),
  },
  closed,
)

/** Budgets and rate limits name their fractions themselves, and a lost lease is lost or not. */
const WITHOUT_THRESHOLD = ['budget', 'rate_limit', 'lost_leases']

/** Reads `alerts` of the config file. */
export function readAlerts(value: unknown, environment: Environment): AlertSettings {
  if (value === undefined) return { receivers: [], rules: {} }
  checkSection('alerts', Settings, value)
  const { receivers = [], rules = {} } = value as { receivers?: ReceiverEntry[]; rules?: AlertSettings['rules'] }
  const read = receivers.map((entry, index) => readReceiver(entry, `alerts.receivers.${index}`, environment))
  const names = read.map(({ name }) => name)
  const again = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (again >= 0) throw new ConfigError(`alerts.receivers.${again}.name: another receiver has this name`)
  for (const [rule, change] of Object.entries(rules)) checkRule(rule, change)
  return { receivers: read, rules }
}

function checkRule(rule: string, { threshold }: RuleChange): void {
  if (threshold === undefined) return
  const path = `alerts.rules.${rule}.threshold`
  if (WITHOUT_THRESHOLD.includes(rule)) throw new ConfigError(`${path}: this rule has no threshold`)
  if (threshold === 0) throw new ConfigError(`${path}: should be greater than 0; on: false switches the rule off`)
  if (rule === 'error_rate' && threshold > 1) throw new ConfigError(`${path}: should be a fraction, at most 1`)
}
