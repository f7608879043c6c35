import { acknowledgeAlert, insertAlert, resolveAlert } from '../../platform/store/alerts/alerts.ts'
import { type Demo, OWNER } from './demo.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/units/units.ts'

type DemoAlert = {
  rule: string
  subject: string
  severity: 'warning' | 'error' | 'critical'
  summary: string
  project?: string
  value: number
  threshold: number
  details: Record<string, unknown>
  /** Before the end of the demo. */
  agoMs: number
  /** Undefined while it is open. */
  lastedMs?: number
  isTakenOn?: true
}

/** The expiring key is open for as long as the gateway sees it. */
export async function addAlerts(demo: Demo): Promise<number> {
  const alerts = [...PAST, expiringKey(demo)].filter(({ agoMs }) => demo.to - agoMs > demo.from)
  for (const alert of alerts) await addAlert(alert, demo)
  return alerts.length
}

const PAST: readonly DemoAlert[] = [
  {
    rule: 'error_rate',
    subject: 'installation',
    severity: 'critical',
    value: 0.34,
    threshold: 0.1,
    summary: '34% of 182 calls in 5 minutes could not be answered.',
    details: { calls: 182, failed: 62 },
    agoMs: 11 * DAY_MS + 3 * HOUR_MS,
    lastedMs: 26 * MINUTE_MS,
    isTakenOn: true,
  },
  {
    rule: 'provider_down',
    subject: 'provider:anthropic',
    severity: 'error',
    value: 2,
    threshold: 1,
    summary: 'anthropic: 2 models paused after repeated failures.',
    details: { provider: 'anthropic' },
    agoMs: 11 * DAY_MS + 3 * HOUR_MS - 4 * MINUTE_MS,
    lastedMs: 24 * MINUTE_MS,
    isTakenOn: true,
  },
  {
    rule: 'failed_jobs',
    subject: 'installation',
    severity: 'warning',
    value: 14,
    threshold: 10,
    summary: '14 jobs have failed within an hour.',
    details: { failed: 14 },
    agoMs: 6 * DAY_MS,
    lastedMs: 72 * MINUTE_MS,
  },
  {
    rule: 'provider_down',
    subject: 'provider:mistral',
    severity: 'error',
    value: 1,
    threshold: 1,
    summary: 'mistral: 1 model paused after repeated failures.',
    details: { provider: 'mistral' },
    agoMs: 40 * MINUTE_MS,
  },
]

function expiringKey({ keys }: Demo): DemoAlert {
  const { id, name, project } = keys.get(EXPIRING)!
  return {
    rule: 'expiring_keys',
    subject: `key:${id}`,
    severity: 'warning',
    value: 6.9,
    threshold: 7,
    project,
    summary: `The key "${name}" of the project ${project} expires in a few days.`,
    details: { key: id, key_name: name },
    agoMs: 20 * HOUR_MS,
    isTakenOn: true,
  }
}

/** The name of a key that ends soon. */
const EXPIRING = 'campaign texts'

async function addAlert(alert: DemoAlert, { db, random, people, to }: Demo): Promise<void> {
  const { agoMs, lastedMs, isTakenOn, details, project = null, ...seen } = alert
  const [id, at] = [random.uuid(), to - agoMs]
  const text = JSON.stringify(details)
  await db.transaction([insertAlert({ ...seen, id, project, details: text, state: 'open', since: at, createdAt: at })])
  const by = `user:${people.get(OWNER)!.id}`
  if (isTakenOn) await acknowledgeAlert(db, { id, by, at: at + 6 * MINUTE_MS })
  if (lastedMs !== undefined) await db.transaction([resolveAlert(id, at + lastedMs)])
}
