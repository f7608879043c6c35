import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { assemble, clockOf, type ServiceOverrides } from './assemble.ts'
import type { BackgroundTiming } from './background.ts'
import type { Config } from '../platform/config/config.ts'
import { CredentialFiles } from './credential-files.ts'
import type { Configuration } from './configuration.ts'
import { drain } from './drain.ts'
import { registerGauges } from './gauges.ts'
import { createAdmin, createApi } from '../http/app.ts'
import { openLines } from '../http/batch-lines.ts'
import { Health, type HealthOptions } from '../http/health.ts'
import type { Services } from '../http/services.ts'
import { openNetwork } from './network.ts'
import { openConfiguration } from './open-configuration.ts'
import { openParts } from './open-parts.ts'
import { openTls } from './open-tls.ts'
import { createDataDir, lateStore, openWhenReachable } from './open-store.ts'
import { fetchIdentities } from './fetch-identities.ts'
import { notOpenYet, openWithStore } from './open-with-store.ts'
import { processName } from './replicas/process-name.ts'
import { QuietCollection } from './quiet-collection.ts'
import { StartState } from './start-state.ts'
import type { MigrateOptions } from '../platform/store/migrations.ts'
import { openTelemetryIfWanted } from './telemetry-if-wanted.ts'
import type { OtherProcesses } from './reload-config.ts'
import { Metrics } from '../platform/telemetry/metrics.ts'
import { poolOf } from '../calls/routing/router/candidate-pool.ts'

// The composition root: everything that the use cases need is opened here, once, and passed to them.

const SETTLED_MS = 1_000
const TELEMETRY_MS = 5_000
/**
 * A start that takes longer opens its ports before it is complete, so that probes see that the process lives. Until then a
 * closed port is better: proxies send a refused connection elsewhere, and a 503 to the caller.
 */
const SLOW_START_MS = 2_000

export type Gateway = {
  /** The services of the active configuration. */
  readonly services: Services
  configuration: Configuration
  api: FastifyInstance
  admin: FastifyInstance
  /** False if the store was away. Until it resolves, every request gets a 503. Rejects as `opened` does. */
  firstTry: Promise<boolean>
  /** Resolves when everything is open. Rejects if that is not possible, and never settles if the gateway is closed before. */
  opened: Promise<void>
  ready(): void
  /** Says in /health/ready that this process will stop. */
  leave(): void
  close(options?: StopOptions): Promise<void>
}

/** `announce`: go on accepting requests for a while, so that load balancers notice before connections are refused. */
type StopOptions = { announce?: boolean }

/** What tests replace: the clock, limits, the network. */
export type Overrides = ServiceOverrides &
  BackgroundTiming & {
    health?: HealthOptions
    /** How long running requests and jobs may go on at shutdown, instead of the setting. */
    drainMs?: number
    /** How long any engine may take. */
    engineLimitMs?: number
    /** How many connections there may be to one provider, for all owners together. */
    maxConnections?: number
    /** How long a change of a stored setting, or of a file with a credential, may go unnoticed. */
    lookMs?: number
    /** How long the last spans and metrics may take to reach the collector at shutdown. */
    telemetryMs?: number
    /** When the ports of a slow start open. */
    slowStartMs?: number
    /** The migrations of the store. */
    migrations?: MigrateOptions['migrations']
    /** How long to wait before an absent store is asked again. */
    storeRetryMs?: number
    /** Which half of the work this process does; both by default. */
    role?: Role
    /** The processes that have to have the same configuration. */
    others?: OtherProcesses
  }

export type Role = 'all' | 'api' | 'worker'

/**
 * Returns when the store was opened, was found to be away, or takes long to open, such as with a migration of a large table.
 * While it is away, only the callers whose keys are known without it are answered; `opened` says when everything is open.
 */
export async function openGateway(config: Config, log: Logger, overrides: Overrides = {}): Promise<Gateway> {
  const open = await openAll(config, log, overrides)
  const { active, health, opening } = open
  const close = (options?: StopOptions) => closeAll(open, overrides, options)
  const { firstTry, done: opened } = opening
  await orSlow(firstTry, overrides.slowStartMs).catch(async (error) => {
    await close()
    throw error
  })
  return {
    get services() {
      return active.current
    },
    configuration: open.configuration,
    api: open.api,
    admin: open.admin,
    firstTry,
    opened,
    close,
    ready: () => health.start(),
    leave: () => health.leave(),
  }
}

async function orSlow(opened: Promise<unknown>, slowMs = SLOW_START_MS): Promise<void> {
  const over = new AbortController()
  const slow = sleep(slowMs, undefined, { signal: over.signal }).catch(() => undefined)
  await Promise.race([opened, slow]).finally(() => over.abort())
}

async function openAll(config: Config, log: Logger, overrides: Overrides) {
  const tls = await openTls(config, log)
  await createDataDir(config.dataDir)
  const metrics = new Metrics()
  const start = new StartState(log)
  const { migrating: progress, migrated } = start
  const store = lateStore(config, metrics, { progress, migrated, migrations: overrides.migrations })
  const network = openNetwork(config, log, overrides.maxConnections)
  const health = new Health({ start, measured: (ms) => metrics.loopLag.observe([], ms / 1000), ...overrides.health })
  const late = notOpenYet()
  const opened = await openParts(config, network, log, overrides.engineLimitMs)
  const parts = { ...opened, health, late, egress: opened.openEgress(config) }
  const made = { network, metrics, clock: clockOf(overrides), processName: processName(), log }
  const telemetry = await openTelemetryIfWanted(config, made)
  const assembled = assemble({ ...made, config, db: store.db, parts, telemetry }, overrides)
  const { active, configuration } = openConfiguration(assembled, { ...parts, others: overrides.others }, log)
  const { calls } = assembled
  calls.ledger.open()
  // The router's list of candidates is built soon after the start, so that its first caller need not wait for it.
  const settled = setTimeout(() => poolOf(calls.catalog, config.providers), SETTLED_MS).unref()
  fetchIdentities(calls, log)
  const credentialFiles = new CredentialFiles({ configuration, log, lookMs: overrides.lookMs })
  const quietCollection = new QuietCollection(health, made.clock)
  registerGauges(active.current, { health, upstream: network.upstream, store: store.db })
  const api = createApi(active, { health, log, tls })
  const admin = createAdmin(active, { health, log, tls })
  parts.listeners.push(api, admin)
  const lines = openLines(active, { health, log })
  const requestsInFlight = () => health.inFlight
  const { role } = overrides
  const needs = { store, active, configuration, role, lines, requestsInFlight, log, timing: overrides }
  const opening = openWhenReachable(() => openWithStore(late, needs), { log, retryMs: overrides.storeRetryMs })
  // A start that fails ends the process.
  opening.firstTry.then(start.tried).catch(() => undefined)
  opening.done.then(start.opened).catch(() => undefined)
  const engines = parts.engines
  return {
    tls,
    store,
    network,
    health,
    late,
    engines,
    telemetry,
    active,
    configuration,
    settled,
    quietCollection,
    credentialFiles,
    api,
    admin,
    opening,
  }
}

type Opened = Awaited<ReturnType<typeof openAll>>

/** Stops listening, lets running requests and jobs finish, and writes what is still in memory. */
async function closeAll(open: Opened, overrides: Overrides, { announce = false }: StopOptions = {}): Promise<void> {
  const { active, api, health, late, network } = open
  const { calls, tenants, money } = active.current
  // Load balancers have to learn of it first: the next steps may wait for a store that does not answer.
  health.leave()
  money.liveRequests.close()
  clearTimeout(open.settled)
  open.quietCollection.close()
  open.tls?.close()
  await open.opening.stop()
  await Promise.all([
    open.credentialFiles.close(),
    late.catalogUpdates.current?.close(),
    late.storedConfig.current?.close(),
  ])
  const { drainDelaySeconds, drainSeconds } = active.current.calls.config
  const { drainMs: graceMs = drainSeconds * 1000, jobGraceMs } = overrides
  const delayMs = announce ? drainDelaySeconds * 1000 : 0
  // Jobs can go on elsewhere, so none is started any more.
  const backgroundClosed = late.background.current?.close(jobGraceMs ?? delayMs + graceMs)
  await drain(api, health, { delayMs, graceMs })
  await Promise.all([api.close(), backgroundClosed])
  await open.admin.close()
  await calls.contents.close()
  calls.inFlight.close()
  await calls.ledger.close()
  await calls.spendLimits.shares.close()
  await tenants.keyCache.close().catch(() => undefined)
  tenants.jwt.close()
  active.close()
  await Promise.all([open.engines.close(), open.telemetry?.close(overrides.telemetryMs ?? TELEMETRY_MS)])
  await Promise.all([network.upstream.close(), network.direct.close()])
  await late.replica.current?.close()
  await open.store.db.close()
}
