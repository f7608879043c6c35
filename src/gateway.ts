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
import { nextBatch, loopSlot } from './net/batch.ts'
import { type OpenNetwork, openNetwork } from './network.ts'
import { createSandbox } from './sandbox/sandbox.ts'
import { openStore } from './open-store.ts'
import type { Database } from './store/database.ts'
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
    /** How many connections there may be to one provider, for all owners together. */
    maxConnections?: number
    /** Which half of the work this process does; both by default. */
    role?: Role
  }

const REPLACEABLE_MEMBERS = [
  'now',
  'monotonic',
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
  const network = openNetwork(config, log, overrides.maxConnections)
  const health = new Health(overrides.health)
  const parts = { ...(await openParts(config, db, network, overrides.engineLimitMs)), health }
  const context = assemble({ config, db, network, parts, log }, overrides)
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
  registerGauges(context, health, network.upstream)
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
    await network.upstream.close()
    await replica.close()
    await db.close()
  }
}

type Parts = Awaited<ReturnType<typeof openParts>> & { health: Health }

/** Opens what takes a moment: the blob store, the webhook key, the egress guard, the secret of result links. */
async function openParts(config: Config, db: Database, network: OpenNetwork, engineLimitMs?: number) {
  const { send } = network.upstream
  const listeners: FastifyInstance[] = []
  const secrets = await openSecrets(db, config)
  const webhookKeys = await openWebhookKeys(secrets, config)
  const blobs = await openBlobs({
    dataDir: config.dataDir,
    blobUrl: config.blobUrl,
    credentials: awsCredentials(config),
    send: (request, { signal, owner }) => send(request, { signal, limits: DEFAULT_LIMITS, owner }),
  })
  const egress = network.openEgress(() => listeners.flatMap((app) => app.addresses()))
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
type Materials = {
  config: Config
  db: Database
  network: OpenNetwork
  parts: Parts
  log: Logger
} & Clocks

type Clocks = Pick<AppContext, 'now' | 'monotonic'>

/** `2026-11-16` */
const DAY_CHARS = 10

function assemble(materials: Omit<Materials, keyof Clocks>, overrides: Overrides): AppContext {
  const { config, network, parts } = materials
  const { limits, now = Date.now, monotonic = wholeMs } = overrides
  const sandbox = createSandbox({ now, loopSlot })
  return {
    now,
    monotonic,
    newId: randomUUID,
    newRequestId: requestIds(),
    nextBatch: () => (parts.health.inFlight > 1 ? nextBatch() : undefined),
    loopSlot,
    memory: new MemoryBudget({ capacity: memoryCapacity(limitsOfProcess(config)) }),
    send: (request, options) =>
      (request.url.startsWith('sandbox:') ? sandbox : network.upstream.send)(request, options),
    engine: parts.engines.run,
    limits: { ...DEFAULT_LIMITS, ...limits },
    sleep,
    backOffMs,
    ...memories(network, { now, monotonic }),
    heartbeatMs: HEARTBEAT_MS,
    cutAfterMs: CUT_AFTER_MS,
    config,
    catalog: loadCatalog(config.providers, new Date(now()).toISOString().slice(0, DAY_CHARS)),
    ...storage({ ...materials, now, monotonic }),
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
function memories({ upstream, openProbe }: OpenNetwork, { now, monotonic }: Clocks) {
  const probe = openProbe(monotonic)
  return {
    retries: new RetryBudget(),
    circuits: new Circuits(monotonic, { canConnect: (address) => probe.canConnect(address) }),
    observations: new Observations(monotonic),
    accessTokens: new AccessTokens(upstream.send, { now, monotonic }),
    reasoning: new ReasoningMemory(monotonic),
    contentCaches: new ContentCaches(monotonic),
  }
}

function storage({ config, db, parts, log, now, monotonic }: Materials) {
  const base = () => config.publicUrl?.replace(/\/+$/, '') ?? addressOf(parts.listeners[0], config)
  const journal = new Journal({
    folder: join(config.dataDir, 'ledger'),
    id: randomUUID(),
    maxBytes: config.ledgerJournalMb * MB,
    log,
  })
  return {
    keyCache: new KeyCache(db, { now, monotonic }, fixedKeys(config)),
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

/** Milliseconds since the process started. Callers see durations, and those are whole numbers. */
function wholeMs(): number {
  return Math.floor(performance.now())
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
