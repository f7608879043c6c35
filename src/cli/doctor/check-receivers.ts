import type { Config } from '../../platform/config/config.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Who is told about alerts. A receiver whose secret is missing is refused with the config, before this is looked at. */
export function checkReceivers({ alerts: { receivers }, spendLimits }: Config): Finding[] {
  const names = receivers.map(({ name, format }) => `${name} (${format})`)
  if (names.length > 0) return [ok('alerts', `receivers: ${names.join(', ')}. POST /admin/alerts/test tries one.`)]
  const watched = spendLimits.filter(({ alerts }) => alerts !== null).map(({ id }) => id)
  if (watched.length === 0) return []
  const advice = 'Add a receiver to alerts.receivers of the config file (docs/alerts.md).'
  return [warning('alerts', `No receiver gets the alerts of ${watched.join(', ')}.`, advice)]
}
