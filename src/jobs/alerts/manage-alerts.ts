import type { CallServices } from '../../calls/services/call-services.ts'
import { audited } from '../../tenants/audit/audited.ts'
import type { Receiver } from '../../platform/config/alerts/alerts.ts'
import type { Alert, AlertList, AlertRules } from '../../contract/admin/alerts.ts'
import { problem } from '../../contract/problems.ts'
import { demand, isoOf, type PeopleServices } from '../../tenants/people/people-services.ts'
import {
  type AlertFilter,
  acknowledgeAlert,
  findAlert,
  listAlerts,
  type StoredAlert,
} from '../../platform/store/alerts/alerts.ts'
import { activeRules } from './rules.ts'

// Alerts in the admin API: what is wrong and what was, what is watched, and who has taken an alert on.

type Page = { limit: number; cursor?: string | undefined }

export async function readAlerts(query: AlertFilter & Page, { db, actor }: PeopleServices): Promise<AlertList> {
  demand(actor, 'alerts.read')
  const { items, nextCursor } = await listAlerts(db, query)
  return { items: items.map(alertBody), next_cursor: nextCursor }
}

export function describeRules({ config }: Pick<CallServices, 'config'>): AlertRules {
  const { alerts } = config
  const rules = activeRules(alerts).map(({ id, title, about, severity, threshold, isOn, ...times }) => {
    const { forSeconds: for_seconds, clearSeconds: clear_seconds } = times
    return { id, title, about, on: isOn, severity, threshold, for_seconds, clear_seconds }
  })
  return { rules, receivers: alerts.receivers.map(shownReceiver) }
}

/** The path of a receiver's address is a secret: it is all that is needed to post there. */
function shownReceiver({ name, format, url, rules, checkpoints }: Receiver): AlertRules['receivers'][number] {
  return { name, format, url: `${new URL(url).origin}/***`, rules: rules && [...rules], checkpoints }
}

/** Records which person has acknowledged an alert. A second acknowledgement changes nothing. */
export async function takeOnAlert(id: string, services: PeopleServices): Promise<Alert> {
  const { db, actor, author, now } = services
  demand(actor, 'alerts.write')
  const auditedDb = audited(db, author, { action: 'alert.acknowledge', object: `alert:${id}` })
  await acknowledgeAlert(auditedDb, { id, by: author.actor, at: now() })
  const alert = await findAlert(db, id)
  if (!alert || alert.state === 'pending') throw problem('not_found', { message: 'There is no such alert.' })
  if (alert.acknowledgedAt === null)
    throw problem('conflict', { message: 'This alert is resolved, so you can no longer acknowledge it.' })
  return alertBody(alert)
}

function alertBody(alert: StoredAlert): Alert {
  const { id, rule, state, severity, subject, summary, project, value, threshold, details } = alert
  return {
    id,
    rule,
    state,
    severity: severity as Alert['severity'],
    subject,
    summary,
    project,
    value,
    threshold,
    details: JSON.parse(details) as Record<string, unknown>,
    opened_at: isoOf(alert.createdAt),
    resolved_at: isoOf(alert.resolvedAt),
    acknowledged_at: isoOf(alert.acknowledgedAt),
    acknowledged_by: alert.acknowledgedBy,
  }
}
