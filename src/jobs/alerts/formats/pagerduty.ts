import type { AlertEvent } from '../alert-event.ts'

const MAX_SUMMARY_CHARS = 1_024

/** An event of PagerDuty's Events API v2. The id of the alert lets the end of an alert close its incident. */
export function pagerdutyBody(event: AlertEvent, routingKey: string) {
  const head = { routing_key: routingKey, dedup_key: event.alert_id }
  if (event.status === 'resolved') return { ...head, event_action: 'resolve' }
  const { summary, severity, opened_at, rule, subject, project, value, threshold, details } = event
  return {
    ...head,
    event_action: 'trigger',
    client: 'Gatehouse',
    payload: {
      summary: summary.slice(0, MAX_SUMMARY_CHARS).toWellFormed(),
      source: 'gatehouse',
      severity,
      timestamp: opened_at,
      component: subject,
      ...(project !== null && { group: project }),
      class: rule,
      custom_details: { value, threshold, ...details },
    },
  }
}
