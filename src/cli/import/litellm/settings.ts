import { MAX_RETRIES } from '../../../platform/config/aliases/alias-limits.ts'
import { SETTINGS } from '../../../platform/config/settings.ts'
import { isRecord, recordOf } from '../../../base/schema/record.ts'
import { exact, manual, secretMoved } from '../finding.ts'
import type { ImportContext } from './import-context.ts'
import { timeoutsIn } from './timeouts.ts'
import { numberOf, textOf } from './values.ts'

/** Settings that hold for every alias which does not say otherwise. */
export function addGeneralDefaults({ content, draft }: ImportContext): void {
  const settings = { ...recordOf(content.litellm_settings), ...recordOf(content.router_settings) }
  const timeouts = timeoutsIn(settings)
  const retries = numberOf(settings.num_retries)
  for (const alias of draft.aliases.values()) {
    if (Object.keys(timeouts).length > 0) alias.timeouts = { ...timeouts, ...alias.timeouts }
    if (retries !== undefined) alias.retries ??= Math.min(MAX_RETRIES, Math.max(0, Math.round(retries)))
  }
}

/** `simple-shuffle` is what targets with weights do. */
export function judgeValues({ content, draft }: ImportContext): void {
  const router = recordOf(content.router_settings)
  if (router.routing_strategy === 'simple-shuffle')
    draft.judge('router_settings.routing_strategy', exact('targets share the calls by weight'))
  const settings = recordOf(content.litellm_settings)
  for (const member of ['callbacks', 'success_callback', 'failure_callback', 'service_callback'])
    if (isOnly(settings[member], 'prometheus'))
      draft.judge(`litellm_settings.${member}`, exact('GET /metrics is built in'))
  if (settings.cache === false) draft.judge('litellm_settings.cache', exact('there is no cache of answers'))
}

function isOnly(value: unknown, word: string): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every((one) => one === word) : value === word
}

/** The key that clients send becomes a client key. A variable of LiteLLM has another name than ours. */
export function addMasterKey({ content, draft }: ImportContext): void {
  const path = 'general_settings.master_key'
  const key = textOf(recordOf(content.general_settings).master_key)
  if (!key) return
  if ('variable' in key)
    return draft.judge(path, manual(`set GATEHOUSE_API_KEY to the value of ${key.variable}, if clients send it`))
  draft.secrets.set('GATEHOUSE_API_KEY', key.text)
  draft.judge(path, {
    ...secretMoved('GATEHOUSE_API_KEY: it calls models, because clients send it; it is no admin key here'),
    outcome: 'approximate',
  })
}

/** Everything under `environment_variables` may be a secret. */
export function addEnvironment({ content, draft }: ImportContext): void {
  if (!isRecord(content.environment_variables)) return
  const own = Object.keys(content.environment_variables).filter((name) => OWN_VARIABLES.has(name))
  for (const [name, value] of Object.entries(content.environment_variables)) {
    const text = textOf(typeof value === 'boolean' ? String(value) : value)
    if (!own.includes(name) && /^[A-Za-z_]\w*$/.test(name) && text && 'text' in text) draft.secrets.set(name, text.text)
  }
  const omitted =
    own.length > 0 ? `, without ${own.join(', ')}: they are settings of Gatehouse with another meaning` : ''
  const moved = secretMoved(`they are in the file of secrets, under their own names${omitted}`)
  draft.judge('environment_variables', omitted === '' ? moved : { ...moved, outcome: 'approximate' })
}

/** LiteLLM's DATABASE_URL is not a database for Gatehouse. */
const OWN_VARIABLES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ env }) => env))
