import { countCalls } from '../../../platform/store/alerts/conditions-seen.ts'
import { INSTALLATION, type Look, levelOf, type Observation } from '../observation.ts'

const WINDOW_MS = 300_000
/** Two failures of three calls say nothing. */
const LEAST_CALLS = 20

/** The part of the calls of the last minutes that the gateway or its providers could not answer. */
export const lookAtErrorRate: Look = async ({ db, now, threshold }) => {
  const { calls, failed } = await countCalls(db, now - WINDOW_MS)
  if (calls < LEAST_CALLS) return []
  const value = failed / calls
  const level = levelOf(value, threshold)
  if (!level) return []
  const summary = `${Math.round(value * 100)}% of ${calls} calls failed in the last ${WINDOW_MS / 60_000} minutes.`
  return [{ subject: INSTALLATION, level, value, threshold, summary, details: { calls, failed } }]
}

/** A provider that limits or refuses a key is there; the calls that fail because of it count as errors. */
const NOT_DOWN: ReadonlySet<string> = new Set(['rate_limited', 'auth'])
const MAX_MODELS = 20

/** Providers with open circuits: this process's own, and those that other processes have told it about. */
export const lookAtProviders: Look = async ({ circuits, threshold }) => {
  const open = circuits().filter(({ state, because }) => state === 'open' && !NOT_DOWN.has(because))
  const byProvider = Map.groupBy(open, ({ name }) => name.slice(0, name.indexOf('/')))
  return [...byProvider].flatMap(([provider, failing]): Observation[] => {
    const models = [...new Set(failing.map(({ name }) => name.replace(/ #\d+$/, '')))]
    if (models.length < threshold) return []
    const reasons = [...new Set(failing.map(({ because }) => because))]
    const summary = `The provider ${provider} fails: ${reasons.join(', ')} (${models.slice(0, 3).join(', ')}${models.length > 3 ? ', …' : ''}).`
    const details = { provider, reasons, models: models.slice(0, MAX_MODELS) }
    return [{ subject: `provider:${provider}`, level: 'high', value: models.length, threshold, summary, details }]
  })
}
