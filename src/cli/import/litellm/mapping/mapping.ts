import { ChatRequest } from '../../../../contract/chat.ts'
import { type Verdict, unsupported } from '../../finding.ts'
import { TABLES } from './database-tables.ts'
import { CREDENTIAL_LIST, CREDENTIAL_VALUES } from './credential-values.ts'
import { GENERAL_SETTINGS, TOP_LEVEL } from './general-settings.ts'
import { LITELLM_SETTINGS } from './litellm-settings.ts'
import { MODEL_INFO, SUPPORTS } from './model-info.ts'
import { DEFAULT_FIELD, MODEL_PARAMS } from './model-params.ts'
import { ROUTER_SETTINGS } from './router-settings.ts'
import type { Row } from './row.ts'

/** The parts of a config.yaml that only hold other parts. Every member of one of them gets a verdict. */
export const SECTIONS: Readonly<Record<string, readonly Row[]>> = {
  '': TOP_LEVEL,
  'model_list[]': [
    ['model_name', 'exact', 'is the name of an alias'],
    ['model_id', 'approximate', 'deployments have no ids here'],
  ],
  'model_list[].litellm_params': MODEL_PARAMS,
  'model_list[].model_info': MODEL_INFO,
  'credential_list[]': CREDENTIAL_LIST,
  'credential_list[].credential_values': CREDENTIAL_VALUES,
  router_settings: ROUTER_SETTINGS,
  litellm_settings: LITELLM_SETTINGS,
  general_settings: GENERAL_SETTINGS,
}

const CHAT_FIELDS: ReadonlySet<string> = new Set(Object.keys(ChatRequest.properties))
/** Parameters of requests other than chats. */
const OTHER_FIELDS = new Set(['dimensions', 'encoding_format', 'input_type', 'voice', 'quality', 'size'])

const rows = new Map(
  Object.entries({ ...SECTIONS, ...TABLES }).flatMap(([section, list]) =>
    list.map(([path, outcome, note]) => [`${section}/${path}`, { outcome, note }] as const),
  ),
)

/** Switches that have one position here, with the other one. */
const ALWAYS_ON = [
  ...[
    'drop_params',
    'json_logs',
    'turn_off_message_logging',
    'redact_user_api_key_info',
    'redact_messages_in_exceptions',
  ],
  ...['allow_requests_on_db_unavailable', 'disable_master_key_return', 'disable_background_health_check'],
]
const SWITCHES = new Map<string, boolean>([...ALWAYS_ON.map((name) => [name, false] as const), ['telemetry', true]])

/** The usual verdict about a member of a section, or about a column of a table. */
export function usualVerdict(section: string, member: string, value?: unknown): Verdict {
  if (value === null) return { outcome: 'exact', note: 'has no value' }
  const row = rows.get(`${section}/${member}`)
  if (row?.outcome === 'exact' && typeof value === 'boolean' && SWITCHES.get(member) === value)
    return { outcome: 'approximate', note: `it is always as with ${member}: ${String(!value)} here` }
  if (row) return row
  if (section === 'model_list[].litellm_params' && isRequestField(member)) return verdict(DEFAULT_FIELD)
  if (section === 'model_list[].model_info' && member.startsWith('supports_')) return verdict(SUPPORTS)
  return unsupported('Gatehouse has nothing of this name')
}

/** Whether a parameter of a deployment is a field of the request that the caller may leave out. */
export function isRequestField(member: string): boolean {
  if (rows.has(`model_list[].litellm_params/${member}`)) return false
  return CHAT_FIELDS.has(member) || OTHER_FIELDS.has(member)
}

function verdict([outcome, note]: readonly [Row[1], Row[2]]): Verdict {
  return { outcome, note }
}
