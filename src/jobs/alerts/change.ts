import { ALERTS } from '../../tenants/audit/author.ts'
import { auditStatements } from '../../tenants/audit/audited.ts'
import type { Receiver } from '../../platform/config/alerts/alerts.ts'
import {
  dropPending,
  insertAlert,
  noteTimes,
  openAlert,
  resolveAlert,
  type NewAlert,
  type StoredAlert,
} from '../../platform/store/alerts/alerts.ts'
import type { Database, Statement } from '../../platform/store/database.ts'
import { type AlertEvent, eventOf } from './alert-event.ts'
import { type MessageSigner, messagesTo } from './messages.ts'
import { nextStep } from './next-step.ts'
import type { Observation } from './observation.ts'
import type { ActiveRule } from './rules.ts'

/** One transaction, and what receivers are told by it. */
export type Change = { statements: readonly Statement[]; told?: AlertEvent }

/** The rule whose alerts are changed, and what that takes. */
export type Changing = {
  db: Database
  now: number
  newId(): string
  rule: ActiveRule
  receivers: readonly Receiver[]
  signer: MessageSigner
}

/** What has to be written because of what a rule sees, or does not see any more, about one subject. */
export async function changeFor(
  alert: StoredAlert | undefined,
  observation: Observation | undefined,
  changing: Changing,
): Promise<Change | undefined> {
  const { rule, now } = changing
  const times = rule.isOn ? rule : { forSeconds: 0, clearSeconds: 0 }
  const step = nextStep(alert, observation?.level, times, now)
  if (step.do === 'wait') return { statements: [insertAlert(newAlert(observation!, 'pending', changing))] }
  if (step.do === 'open') return await opening(alert, observation!, changing)
  if (step.do === 'drop') return { statements: [dropPending(alert!.id)] }
  if (step.do === 'note') return { statements: [noteTimes(alert!.id, step)] }
  return step.do === 'resolve' ? await resolving(alert!, changing) : undefined
}

function newAlert(observation: Observation, state: NewAlert['state'], { rule, now, newId }: Changing): NewAlert {
  const { subject, value, threshold, summary, project = null, details, severity = rule.severity } = observation
  return {
    id: newId(),
    rule: rule.id,
    subject,
    state,
    severity,
    summary,
    project,
    value,
    threshold,
    details: JSON.stringify(details),
    since: now,
    createdAt: now,
  }
}

async function opening(
  pending: StoredAlert | undefined,
  observation: Observation,
  changing: Changing,
): Promise<Change> {
  const seen = newAlert(observation, 'open', changing)
  const alert = pending ? { ...seen, id: pending.id } : seen
  const told = eventOf({ ...alert, resolvedAt: null })
  const change = pending ? openAlert(alert) : insertAlert(alert)
  return { statements: await withMessages(change, told, changing), told }
}

async function resolving(alert: StoredAlert, changing: Changing): Promise<Change> {
  const told = eventOf({ ...alert, resolvedAt: changing.now })
  return { statements: await withMessages(resolveAlert(alert.id, changing.now), told, changing), told }
}

/** The change, its messages and, for some rules, its row of the audit log: all of it or nothing. */
async function withMessages(
  change: Statement,
  told: AlertEvent,
  { db, rule, receivers, ...signing }: Changing,
): Promise<Statement[]> {
  const messages = await messagesTo(receivers, told, signing)
  if (!rule.isAudited || told.status !== 'firing') return [change, ...messages]
  const event = { action: `alert.${rule.id}`, object: `alert:${told.alert_id}`, after: told.details }
  const { lock, rows } = auditStatements(db, ALERTS, event)
  return [...lock, change, ...messages, ...rows]
}
