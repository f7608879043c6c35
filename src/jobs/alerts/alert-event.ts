import type { AlertRule, Severity } from '../../contract/admin/alert-rules.ts'
import { isoOf } from '../../tenants/people/people-services.ts'
import type { StoredAlert } from '../../platform/store/alerts/alerts.ts'
import { RULES } from './rules.ts'

/** What receivers are told: the body of format `webhook`, and what the other formats are made of. */
export type AlertEvent = {
  event: 'alert'
  alert_id: string
  /** `test`: an operator tests the receiver. */
  status: 'firing' | 'resolved' | 'test'
  rule: string
  title: string
  severity: Severity
  summary: string
  subject: string
  project: string | null
  value: number
  threshold: number
  details: Record<string, unknown>
  opened_at: string
  resolved_at: string | null
}

type Told = Omit<StoredAlert, 'state' | 'since' | 'clearSince' | 'acknowledgedAt' | 'acknowledgedBy'>

export function eventOf(alert: Told): AlertEvent {
  return {
    event: 'alert',
    alert_id: alert.id,
    status: alert.resolvedAt === null ? 'firing' : 'resolved',
    rule: alert.rule,
    title: titleOf(alert.rule),
    severity: alert.severity as Severity,
    summary: alert.summary,
    subject: alert.subject,
    project: alert.project,
    value: alert.value,
    threshold: alert.threshold,
    details: JSON.parse(alert.details) as Record<string, unknown>,
    opened_at: isoOf(alert.createdAt),
    resolved_at: isoOf(alert.resolvedAt),
  }
}

/** Beside a process of another release, a row may have a rule that this one does not know. */
function titleOf(rule: string): string {
  return Object.hasOwn(RULES, rule) ? RULES[rule as AlertRule].title : rule
}

/** Every test call is an alert of its own, so that a receiver does not take the second for a repetition. */
export function testEvent({ id, receiver, now }: { id: string; receiver: string; now: number }): AlertEvent {
  return {
    event: 'alert',
    alert_id: id,
    status: 'test',
    rule: 'test',
    title: 'Test',
    severity: 'info',
    summary: `This is a test of the receiver ${receiver}. Nothing has happened.`,
    subject: `receiver:${receiver}`,
    project: null,
    value: 0,
    threshold: 0,
    details: {},
    opened_at: isoOf(now),
    resolved_at: null,
  }
}
