import { randomUUID } from 'node:crypto'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type BackgroundTiming, openBackground } from './background.ts'
import { openBlobs } from './blobs/open-blobs.ts'
import { loadCatalog } from './catalog/catalog.ts'
import type { Config } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { type TimeLimits, DEFAULT_LIMITS } from './config/limits.ts'
import { backOffMs, sleep } from './attempts/back-off.ts'
import { ArrivingBytes } from './files/arriving-bytes.ts'
import type { Caller } from './access/caller.ts'
import { Circuits } from './attempts/circuits.ts'
import { openCallerUrls } from './files/caller-urls.ts'
import { type FixedKey, KeyCache } from './access/key-cache.ts'
import { Journal } from './billing/journal.ts'
import { Ledger } from './billing/ledger.ts'
import { MemoryBudget, type MemoryLimits, memoryCapacity } from './calls/memory-budget.ts'
import { Metrics } from './telemetry/metrics.ts'
import type { AppContext } from './app/context.ts'
import { ContentCaches } from './calls/content-caches.ts'
import { ReasoningMemory } from './calls/reasoning-memory.ts'
import { RetryBudget } from './attempts/retry-budget.ts'
import { poolOf } from './routing/router/candidate-pool.ts'
import { Observations } from './attempts/observations.ts'
import { openEnginePool } from './engines/pool/engine-pool.ts'
import { registerGauges } from './gauges.ts'
import { requestIds } from './request-ids.ts'
import { createAdmin, createApi } from './http/app.ts'
import { Health, type HealthOptions } from './http/health.ts'
import { AccessTokens } from './net/access-tokens.ts'
import { ConnectProbe } from './net/connect-probe.ts'
import { openEgress } from './net/egress/guarded-fetch.ts'
import { parseNetworks } from './net/egress/networks.ts'
import { nextBatch, loopSlot } from './net/batch.ts'
import { openUpstream, type Upstream } from './net/upstream.ts'
import { createSandbox } from './sandbox/sandbox.ts'
import { openStore } from './open-store.ts'
import type { Database } from './store/database.ts'
import type { Send } from './wire/wire.ts'
import { processName } from './replicas/process-name.ts'
import { joinReplicas } from './join-replicas.ts'
import { openLinkSecret } from './files/link-secret.ts'
import { openSecrets } from './secrets/secrets.ts'
import { openWebhookKeys } from './webhooks/webhook-keys.ts'

// The composition root: everything that the use cases need is opened here, once, and passed to them.

const HEARTBEAT_MS = 15_000
const CUT_AFTER_MS = 2_000
const SETTLED_MS = 1_000
const MB = 1024 * 1024

export type Gateway = {
  context: AppContext
  api: FastifyInstance
  admin: FastifyInstance
  ready(): void
  close(): Promise<void>
}

/** What tests replace: the clock, limits, the network. */
export type Overrides = Partial<Pick<AppContext, (typeof REPLACEABLE_MEMBERS)[number]>> &
  BackgroundTiming & {
    limits?: Partial<TimeLimits>
    health?: HealthOptions
    /** How long any engine may take. */
    engineLimitMs?: number
    /** How many connections one owner may have to one provider. */
    maxConnections?: number
    /** Which half of the work this process does; both by default. */
    role?: Role
  }

const REPLACEABLE_MEMBERS = [
  'now',
  'memory',
  'heartbeatMs',
  'cutAfterMs',
  'send',
  'readMetrics',
  'backOffMs',
  'sleep',
  'circuits',
  'retries',
] as const
const REPLACEABLE: ReadonlySet<string> = new Set(REPLACEABLE_MEMBERS)

export type Role = 'all' | 'api' | 'worker'

export async function openGateway(config: Config, log: Logger, overrides: Overrides = {}): Promise<Gateway> {
  const db = await openStore(config)
  try {
    return await openOn(db, config, log, overrides)
  } catch (error) {
    await db.close()
    throw error
  }
}

async function openOn(db: Database, config: Config, log: Logger, overrides: Overrides): Promise<Gateway> {
  const upstream = openUpstream({}, { maxConnections: overrides.maxConnections })
  const health = new Health(overrides.health)
  const parts = { ...(await openParts(config, db, upstream, overrides.engineLimitMs)), health }
  const context = assemble({ config, db, network: upstream.send, parts, log }, overrides)
  const replica = await joinReplicas({ context, role: overrides.role ?? 'all', webhookKeys: parts.webhookKeys, log })
  Object.assign(context, { peers: replica.peers })
  await context.keyCache.open()
  context.ledger.open()
  const background =
    overrides.role === 'api'
      ? undefined
      : openBackground({ context, db, egress: parts.egress, webhookKeys: parts.webhookKeys, log }, overrides)
  if (background) Object.assign(context, { wakeWorker: background.wakeWorker, wakeDeliverer: background.wakeDeliverer })
  // The router's list of candidates is built soon after the start, so that its first caller need not wait for it.
  const settled = setTimeout(() => poolOf(context.catalog, config.providers), SETTLED_MS).unref()
  registerGauges(context, health)
  const api = createApi(context, health, log)
  const admin = createAdmin(context, health, log)
  parts.listeners.push(api, admin)
  replica.start()
  return { context, api, admin, ready, close }

  function ready() {
    health.start()
  }

  /** Stops listening, lets running requests and jobs finish, and writes what is still in memory. */
  async function close() {
    clearTimeout(settled)
    await Promise.all([api.close(), health.drain(), background?.close()])
    await admin.close()
    await context.ledger.close()
    await context.keyCache.close().catch(() => undefined)
    parts.egress.close()
    await parts.engines.close()
    await upstream.close()
    await replica.close()
    await db.close()
  }
}

type Parts = Awaited<ReturnType<typeof openParts>> & { health: Health }

/** Opens what takes a moment: the blob store, the webhook key, the egress guard, the secret of result links. */
async function openParts(config: Config, db: Database, { send }: Upstream, engineLimitMs?: number) {
  const listeners: FastifyInstance[] = []
  const secrets = await openSecrets(db, config)
  const webhookKeys = await openWebhookKeys(secrets, config)
  const blobs = await openBlobs({
    dataDir: config.dataDir,
    blobUrl: config.blobUrl,
    credentials: awsCredentials(config),
    send: (request, { signal, owner }) => send(request, { signal, limits: DEFAULT_LIMITS, owner }),
  })
  const egress = openEgress({
    allow: readNetworks(config.allowNetworks),
    ownListeners: () => listeners.flatMap((app) => app.addresses()),
  })
  return {
    listeners,
    webhookKeys,
    blobs,
    egress,
    linkSecret: await openLinkSecret(db, secrets),
    engines: openEnginePool(engineLimitMs ? { limitMs: engineLimitMs } : {}),
  }
}

/** What the application context is made of. */
type Materials = { config: Config; db: Database; network: Send; parts: Parts; log: Logger; now(): number }

/** `2026-11-16` */
const DAY_CHARS = 10

function assemble(materials: Omit<Materials, 'now'>, overrides: Overrides): AppContext {
  const { config, network, parts } = materials
  const { limits, now = Date.now } = overrides
  const sandbox = createSandbox({ now, loopSlot })
  return {
    now,
    newId: randomUUID,
    newRequestId: requestIds(),
    nextBatch: () => (parts.health.inFlight > 1 ? nextBatch() : undefined),
    loopSlot,
    memory: new MemoryBudget({ capacity: memoryCapacity(limitsOfProcess(config)) }),
    send: (request, options) => (request.url.startsWith('sandbox:') ? sandbox : network)(request, options),
    engine: parts.engines.run,
    limits: { ...DEFAULT_LIMITS, ...limits },
    sleep,
    backOffMs,
    ...memories(network, now),
    heartbeatMs: HEARTBEAT_MS,
    cutAfterMs: CUT_AFTER_MS,
    config,
    catalog: loadCatalog(config.providers, new Date(now()).toISOString().slice(0, DAY_CHARS)),
    ...storage({ ...materials, now }),
    callerUrls: openCallerUrls(parts.egress),
    wakeWorker: () => undefined,
    wakeDeliverer: () => undefined,
    get webhookPublicKey() {
      return parts.webhookKeys.current.publicPem
    },
    get webhookTimestampKey() {
      return parts.webhookKeys.current.timestampKey
    },
    processName: processName(),
    peers: () => [],
    metrics: new Metrics(),
    readMetrics: async (own) => own,
    ...replaced(overrides),
  }
}

/** What this process learns from calls and remembers for the next ones. */
function memories(network: Send, now: () => number) {
  const probe = new ConnectProbe(now)
  return {
    retries: new RetryBudget(),
    circuits: new Circuits(now, { canConnect: (address) => probe.canConnect(address) }),
    observations: new Observations(now),
    accessTokens: new AccessTokens(network, now),
    reasoning: new ReasoningMemory(now),
    contentCaches: new ContentCaches(now),
  }
}

function storage({ config, db, parts, log, now }: Materials) {
  const base = () => config.publicUrl?.replace(/\/+$/, '') ?? addressOf(parts.listeners[0], config)
  const journal = new Journal({
    folder: join(config.dataDir, 'ledger'),
    id: randomUUID(),
    maxBytes: config.ledgerJournalMb * MB,
    log,
  })
  return {
    keyCache: new KeyCache(db, now, fixedKeys(config)),
    db,
    ledger: new Ledger({ db, journal, log }),
    files: {
      db,
      blobs: parts.blobs,
      newId: randomUUID,
      maxFileBytes: config.uploadLimitMb * MB,
      quotaBytes: config.uploadQuotaMb * MB,
      arriving: new ArrivingBytes(),
    },
    links: { db, now, secret: parts.linkSecret, base },
  }
}

/** The members of the context that a test replaces. */
function replaced(overrides: Overrides): Partial<AppContext> {
  const members = Object.entries(overrides).filter(([name]) => REPLACEABLE.has(name))
  return Object.fromEntries(members)
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

function awsCredentials({ awsAccessKeyId, awsSecretAccessKey, awsSessionToken }: Config) {
  if (!awsAccessKeyId || !awsSecretAccessKey) return undefined
  return { accessKeyId: awsAccessKeyId, secretAccessKey: awsSecretAccessKey, sessionToken: awsSessionToken }
}

function readNetworks(text: string) {
  try {
    return text === '' ? [] : parseNetworks(text)
  } catch (error) {
    throw new ConfigError(`ALLOW_NETWORKS: ${(error as Error).message}`)
  }
}

/** The address of this process, for operators who set no public URL. */
function addressOf(app: FastifyInstance | undefined, { host, port }: Config): string {
  const [listening] = app?.addresses() ?? []
  return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${listening?.port ?? port}`
}

function limitsOfProcess({ workers }: Config): MemoryLimits {
  const { heap_size_limit: heapBytes } = getHeapStatistics()
  // The constraint is 0 if there is none, and on some systems larger than any machine's memory.
  const machineBytes = Math.min(process.constrainedMemory() || totalmem(), totalmem())
  return { heapBytes, machineBytes, processes: workers === 'auto' ? availableParallelism() : workers }
}
