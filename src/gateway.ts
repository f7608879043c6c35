import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { loadCatalog } from './catalog/catalog.ts'
import type { Config } from './config/config.ts'
import type { Send } from './contract/wire.ts'
import type { Caller } from './core/caller.ts'
import { type FixedKey, Keyring } from './core/keyring.ts'
import { Ledger } from './core/ledger.ts'
import { Metrics } from './core/metrics.ts'
import type { Outside } from './core/outside.ts'
import { createAdmin, createApi } from './http/app.ts'
import { Health, type HealthOptions } from './http/health.ts'
import { openUpstream } from './net/upstream.ts'
import { createSandbox } from './sandbox/sandbox.ts'
import { type Database, openDatabase } from './store/database.ts'
import { migrate } from './store/migrations.ts'

// The composition root: the outside is assembled here, once, and handed in.

const HEADERS_MS = 300_000
const IDLE_MS = 120_000
const HEARTBEAT_MS = 15_000

export type Gateway = {
  outside: Outside
  api: FastifyInstance
  admin: FastifyInstance
  ready(): void
  close(): Promise<void>
}

/** What tests put in the place of the real thing: a clock, shorter limits, another network. */
export type Overrides = Partial<Pick<Outside, 'now' | 'limits' | 'heartbeatMs' | 'send' | 'readMetrics'>> & {
  health?: HealthOptions
}

export async function openGateway(config: Config, log: Logger, overrides: Overrides = {}): Promise<Gateway> {
  const db = await openStore(config)
  const upstream = openUpstream()
  const outside = assemble(config, db, upstream.send, overrides)
  await outside.keyring.open()
  outside.ledger.open()
  const health = new Health(overrides.health)
  gauge(outside.metrics, health, outside.ledger)
  const api = createApi(outside, health, log)
  const admin = createAdmin(outside, health, log)
  return { outside, api, admin, ready, close }

  function ready() {
    health.started = true
  }

  /** Stops listening, lets what runs finish, writes what is still in memory. */
  async function close() {
    const drained = health.drain()
    await Promise.all([api.close(), drained])
    await admin.close()
    await outside.ledger.close()
    await outside.keyring.close().catch(() => undefined)
    await upstream.close()
    await db.close()
  }
}

export async function openStore({ dataDir, databaseUrl }: Config): Promise<Database> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const db = await openDatabase({ dataDir, databaseUrl })
  await migrate(db)
  return db
}

function assemble(config: Config, db: Database, network: Send, overrides: Overrides): Outside {
  const now = overrides.now ?? Date.now
  const sandbox = createSandbox({ now })
  return {
    now,
    newId: randomUUID,
    newRequestId: requestIds(),
    send: (request, options) => (request.url.startsWith('sandbox:') ? sandbox : network)(request, options),
    limits: { headersMs: HEADERS_MS, idleMs: IDLE_MS },
    heartbeatMs: HEARTBEAT_MS,
    config,
    catalog: loadCatalog(config.providers),
    keyring: new Keyring(db, now, fixedKeys(config)),
    keyDesk: { db, now, newId: randomUUID, region: config.region },
    ledger: new Ledger(db),
    metrics: new Metrics(),
    readMetrics: async (own) => own,
    ...overrides,
  }
}

/** `req_` with a part that is this process's own and a number. */
function requestIds(): () => string {
  const own = randomBytes(9).toString('base64url')
  let number = 0
  return () => `req_${own}${(number++).toString(36).padStart(6, '0')}`
}

/** Keys that the operator sets in the environment, for containers and tests. */
function fixedKeys({ gatehouseApiKey, gatehouseAdminKey, region }: Config): FixedKey[] {
  const caller = (kind: Caller['kind']): Caller => {
    return { keyId: `env-${kind}`, owner: 'default', kind, region, scopes: null, expiresAt: null }
  }
  return [
    ...(gatehouseApiKey ? [{ key: gatehouseApiKey, caller: caller('live') }] : []),
    ...(gatehouseAdminKey ? [{ key: gatehouseAdminKey, caller: caller('admin') }] : []),
  ]
}

function gauge(metrics: Metrics, health: Health, ledger: Ledger) {
  metrics.gauge('gatehouse_in_flight', 'Requests being answered now.', () => health.inFlight)
  metrics.gauge(
    'gatehouse_event_loop_delay_seconds',
    'How late the event loop was when last looked at.',
    () => health.lateness / 1000,
  )
  metrics.gauge('gatehouse_ledger_rows_waiting', 'Usage rows not yet written.', () => ledger.waiting)
  metrics.gauge(
    'gatehouse_ledger_rows_lost',
    'Usage rows that found no room while the store was away.',
    () => ledger.lost,
  )
}
