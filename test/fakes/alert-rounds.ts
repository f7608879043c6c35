import { randomUUID } from 'node:crypto'
import { AlertRounds, type AlertNeeds } from '../../src/jobs/alerts/rounds.ts'
import type { AlertSettings, Receiver } from '../../src/platform/config/alerts/alerts.ts'
import type { Limit } from '../../src/platform/config/spend-limits/limit.ts'
import { type LimitEntry, limitOf } from '../../src/platform/config/spend-limits/limit-entry.ts'
import { listAlerts } from '../../src/platform/store/alerts/alerts.ts'
import type { Database } from '../../src/platform/store/database.ts'
import { eventLog } from './event-log.ts'

export const NO_SETTINGS: AlertSettings = { receivers: [], rules: {} }

export function receiverOf(parts: Partial<Receiver> = {}): Receiver {
  const fixed = { format: 'webhook', routingKey: undefined, rules: null, checkpoints: false } as const
  return { name: 'ops', url: 'http://127.0.0.1:9/secret-path', ...fixed, ...parts }
}

/** Rounds as a process with a clock of its own would make them. They sign nothing. */
export function roundsOn(db: Database, parts: Partial<AlertNeeds> = {}): AlertRounds {
  return new AlertRounds(alertNeeds(db, parts))
}

export function alertNeeds(db: Database, parts: Partial<AlertNeeds> = {}): AlertNeeds {
  return {
    db,
    now: Date.now,
    newId: randomUUID,
    leaseHolder: randomUUID(),
    log: eventLog(),
    wakeDeliverer: () => {},
    settings: () => ({ ...NO_SETTINGS, receivers: [receiverOf()] }),
    limits: () => [],
    circuits: () => [],
    guardrails: () => [],
    signer: () => ({ keyId: 'key', sign: async () => 'signature' }),
    ...parts,
  }
}

export function limit(entry: Partial<LimitEntry> & { id: string }, kind: Limit['kind'] = 'budget'): Limit {
  const found = limitOf({ appliesTo: 'all', limit: 10, window: 'day', ...entry }, kind, 'file')
  if (Array.isArray(found)) throw new Error(JSON.stringify(found))
  return found
}

/** What receivers were told, oldest first: `firing error_rate`. */
export async function told(db: Database): Promise<string[]> {
  return (await messages(db)).map(({ event, url }) => `${event.status} ${event.rule} ${url}`)
}

type Sent = { url: string; event: Record<string, unknown> & { details: Record<string, unknown> } }

export async function messages(db: Database): Promise<Sent[]> {
  const sql = `SELECT url, body FROM deliveries JOIN delivery_bodies ON delivery_id = id WHERE url LIKE 'receiver:%'`
  const rows = await db.query<{ url: string; body: Uint8Array }>(sql)
  const sent = rows.map(({ url, body }) => ({ url, event: JSON.parse(Buffer.from(body).toString()) as Sent['event'] }))
  const order = ({ event, url }: Sent) => `${event.resolved_at ?? event.opened_at} ${String(event.subject)} ${url}`
  return sent.sort((one, other) => (order(one) < order(other) ? -1 : 1))
}

export async function states(db: Database): Promise<string[]> {
  const { items } = await listAlerts(db, { limit: 100 })
  return items.map(({ rule, subject, state }) => `${rule} ${subject} ${state}`).reverse()
}
