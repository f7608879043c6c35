import { ALERT_RULES, RECEIVER_FORMATS } from '../../../contract/admin/alert-rules.ts'
import Type, { type Static } from '../../../base/schema/type.ts'
import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { readNamedSecret } from '../named-secret.ts'
import type { Receiver } from './alerts.ts'

const text = Type.String({ minLength: 1, maxLength: 2_000 })

export const ReceiverEntry = Type.Object(
  {
    name: text,
    format: Type.Enum([...RECEIVER_FORMATS]),
    url: Type.Optional(text),
    urlEnv: Type.Optional(text),
    urlFile: Type.Optional(text),
    routingKeyEnv: Type.Optional(text),
    routingKeyFile: Type.Optional(text),
    rules: Type.Optional(Type.Array(Type.Enum([...ALERT_RULES]), { minItems: 1, maxItems: ALERT_RULES.length })),
    checkpoints: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type ReceiverEntry = Static<typeof ReceiverEntry>

/** A name stands in the store and in addresses of the admin API. */
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue'

export function readReceiver(entry: ReceiverEntry, path: string, environment: Environment): Receiver {
  const { name, format, rules = null, checkpoints = false } = entry
  if (!NAME.test(name)) throw new ConfigError(`${path}.name: should be lower-case letters, digits and dashes`)
  if (checkpoints && format !== 'webhook')
    throw new ConfigError(`${path}.checkpoints: only a receiver with the format webhook can get them`)
  const url = addressOf(entry, path, environment)
  return { name, format, url, routingKey: routingKeyOf(entry, path, environment), rules, checkpoints }
}

function addressOf(entry: ReceiverEntry, path: string, environment: Environment): string {
  const { url, urlEnv, urlFile, format } = entry
  const given = [url, urlEnv, urlFile].filter((one) => one !== undefined)
  if (given.length > 1) throw new ConfigError(`${path}: url, urlEnv and urlFile exclude each other`)
  if (given.length === 0 && format !== 'pagerduty') throw new ConfigError(`${path}.url: Field required`)
  const secret = readNamedSecret({ variable: urlEnv, file: urlFile }, `${path}.url`, environment)
  return checkedUrl(url ?? secret ?? PAGERDUTY_URL, format, `${path}.url`)
}

/** The message does not repeat the address, because it may be a secret. A service on the operator's network may be plain. */
function checkedUrl(value: string, format: Receiver['format'], path: string): string {
  const url = URL.parse(value)
  const isPlain = url?.protocol === 'http:' && (format === 'webhook' || LOOPBACK.test(url.hostname))
  if (url && !url.username && !url.password && !url.hash && (url.protocol === 'https:' || isPlain)) return value
  throw new ConfigError(`${path}: should be an https:// address without a user name (http:// only for format webhook)`)
}

function routingKeyOf(entry: ReceiverEntry, path: string, environment: Environment): string | undefined {
  const { routingKeyEnv: variable, routingKeyFile: file, format } = entry
  const isGiven = variable !== undefined || file !== undefined
  if (variable !== undefined && file !== undefined)
    throw new ConfigError(`${path}: routingKeyEnv and routingKeyFile exclude each other`)
  if (isGiven !== (format === 'pagerduty'))
    throw new ConfigError(`${path}.routingKeyEnv: ${isGiven ? OF_NO_USE : NEEDED}`)
  return readNamedSecret({ variable, file }, `${path}.routingKey`, environment)
}

const OF_NO_USE = 'is only for the format pagerduty'
const NEEDED =
  'PagerDuty needs the routing key of an integration: name its variable here, or its file as routingKeyFile'
