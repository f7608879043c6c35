import { MAX_WAITING_JOBS } from './jobs/demand-room.ts'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { KeyCache } from './access/key-cache.ts'
import type { Author } from './audit/author.ts'
import { record } from './audit/record.ts'
import { baseOfLinks, catalogOf, fileLimits } from './active-context.ts'
import type { AppContext } from './app/context.ts'
import { backOffMs, sleep } from './attempts/back-off.ts'
import { Circuits } from './attempts/circuits.ts'
import { Observations } from './attempts/observations.ts'
import { OpenExports } from './app/open-exports.ts'
import { RetryBudget } from './attempts/retry-budget.ts'
import { Journal } from './billing/journal.ts'
import { InFlight } from './billing/in-flight.ts'
import { Ledger } from './billing/ledger.ts'
import { LiveRequests } from './billing/live-requests.ts'
import { ContentCaches } from './calls/content-caches.ts'
import { MemoryBudget } from './calls/memory-budget.ts'
import { ReasoningMemory } from './calls/reasoning-memory.ts'
import { Contents } from './contents/contents.ts'
import { AliasTable } from './config/aliases/alias-table.ts'
import type { Config } from './config/config.ts'
import { DEFAULT_TIMEOUTS, type Timeouts } from './config/timeouts.ts'
import { ArrivingBytes } from './files/arriving-bytes.ts'
import { openCallerUrls } from './files/caller-urls.ts'
import { AccessTokens } from './net/identity/access-tokens.ts'
import { loopSlot, nextBatch } from './net/batch.ts'
import { type OpenNetwork, proxiesFor } from './network.ts'
import { openIssuers } from './open-issuers.ts'
import { fixedKeys } from './open-keys.ts'
import type { Parts } from './open-parts.ts'
import { processName } from './replicas/process-name.ts'
import { requestIds } from './request-ids.ts'
import { SpendLimits } from './limits/spend-limits.ts'
import { sharedMetrics } from './shared-metrics.ts'
import { changeLogLevel } from './change-log-level.ts'
import { PASSWORD_COST } from './sign-in/password-hash.ts'
import { createSandbox } from './sandbox/sandbox.ts'
import { type Database, StoreUnavailable } from './store/database.ts'
import type { SendTest } from './webhooks/test-delivery.ts'
import type { Metrics } from './telemetry/metrics.ts'
import { MB } from './units/units.ts'

export const DEFAULT_TIMES = {
  heartbeatMs: 15_000,
  cutAfterMs: 2_000,
  localModelsMs: 2_000,
  // Callers count before they send the real request, so a slower count is of no use to them.
  countTokensMs: 2_000,
}

/** What tests replace in the context. */
export type ContextOverrides = Partial<Pick<AppContext, (typeof REPLACEABLE_MEMBERS)[number]>> & {
  timeouts?: Partial<Timeouts>
  /** How long it may go unnoticed that a project keeps content. */
  contentLookMs?: number
  /** How long /metrics waits for the store. */
  storeMetricsMs?: number
}

const REPLACEABLE_MEMBERS = [
  'now',
  'monotonic',
  'memory',
  'heartbeatMs',
  'cutAfterMs',
  'localModelsMs',
  'countTokensMs',
  'send',
  'readMetrics',
  'backOffMs',
  'sleep',
  'circuits',
  'retries',
  'passwordCost',
  'maxWaitingJobs',
] as const
const REPLACEABLE: ReadonlySet<string> = new Set(REPLACEABLE_MEMBERS)

/** What the application context is made of. */
type Materials = {
  config: Config
  db: Database
  network: OpenNetwork
  parts: Parts
  log: Logger
  metrics: Metrics
} & Clocks

type Clocks = Pick<AppContext, 'now' | 'monotonic'>

/** Puts the context of the use cases together. */
export function assemble(materials: Omit<Materials, keyof Clocks>, overrides: ContextOverrides): AppContext {
  const { config, network, parts, metrics } = materials
  const { timeouts, now = Date.now, monotonic = wholeMs } = overrides
  const sandbox = createSandbox({ now, loopSlot })
  const stored = storage({ ...materials, now, monotonic })
  const name = processName()
  const spendLimits = openSpendLimits({ ...materials, ...stored, now, monotonic, processName: name })
  return {
    now,
    monotonic,
    newId: randomUUID,
    newRequestId: requestIds(),
    nextBatch: () => (parts.health.inFlight > 1 ? nextBatch() : undefined),
    loopSlot,
    memory: new MemoryBudget({ capacity: parts.memoryPlan.requestBytes }),
    send: (request, options) =>
      (request.url.startsWith('sandbox:') ? sandbox : network.upstream.send)(request, options),
    engine: parts.engines.run,
    timeouts: { ...DEFAULT_TIMEOUTS, ...timeouts },
    sleep,
    backOffMs,
    ...memories(materials, { now, monotonic }),
    ...DEFAULT_TIMES,
    passwordCost: PASSWORD_COST,
    maxWaitingJobs: MAX_WAITING_JOBS,
    config,
    catalog: catalogOf(config, { now }),
    aliases: new AliasTable(config.aliases),
    ...stored,
    liveRequests: new LiveRequests({ ...stored, now }),
    openExports: new OpenExports({ monotonic }),
    spendLimits,
    contents: openContents(materials, { now, lookMs: overrides.contentLookMs }),
    ...openIssuers(config, { db: materials.db, send: network.upstream.send, log: materials.log, now, monotonic }),
    callerUrls: openCallerUrls(parts.egress),
    proxies: proxiesFor(config),
    ownListeners: parts.ownListeners,
    wakeWorker: () => parts.late.background?.wakeWorker(),
    stopJob: (id) => parts.late.background?.stopJob(id),
    wakeDeliverer: () => parts.late.background?.wakeDeliverer(),
    webhookKeys: () => parts.late.webhookKeys?.current,
    testDelivery: (url, author) => testDelivery(url, { db: materials.db, author, send: parts.late.sendTest }),
    secrets: () => parts.late.secrets,
    refreshStored: async () => (await parts.late.storedConfig?.refresh()) ?? config,
    changeLogLevel: (level, author) =>
      changeLogLevel(materials.db, { level, author }, async () => await parts.late.storedConfig?.refresh()),
    processName: name,
    peers: () => parts.late.replica?.peers() ?? [],
    metrics,
    // The gateway opens it, if a collector is configured.
    tracing: undefined,
    readMetrics: async (own) => own,
    readSharedMetrics: sharedMetrics({
      ...{ db: materials.db, spendLimits, now, monotonic },
      answerMs: overrides.storeMetricsMs,
    }),
    // The gateway replaces these as soon as there is a context to describe.
    describeConfig: () => Promise.reject(new Error('The gateway is not open yet.')),
    refreshAliases: () => Promise.reject(new Error('The gateway is not open yet.')),
    refreshLimits: () => Promise.reject(new Error('The gateway is not open yet.')),
    reloadConfig: () => Promise.reject(new Error('The gateway is not open yet.')),
    ...replaced(overrides),
  }
}

function openContents({ db, parts, metrics, log }: Materials | Omit<Materials, keyof Clocks>, timing: ContentTiming) {
  return new Contents({
    ...{ db, blobs: parts.blobs, secrets: () => parts.late.secrets, engine: parts.engines.run, log, ...timing },
    dropped: (reason) => metrics.contentDropped.add([reason]),
  })
}

type ContentTiming = { now(): number; lookMs: number | undefined }

type Test = { db: Database; author: Author; send: SendTest | undefined }

async function testDelivery(url: string, { db, author, send }: Test) {
  if (!send) throw new StoreUnavailable('The keys that sign webhooks are in the store.')
  await record(db, author, { action: 'delivery.test', object: 'deliveries', after: { receiver: new URL(url).host } })
  return await send(url)
}

type WithMemory = Pick<Materials, 'network' | 'parts'>

/** What this process learns from calls and remembers for the next ones. */
function memories({ network: { upstream, direct, openProbe }, parts }: WithMemory, { now, monotonic }: Clocks) {
  const probe = openProbe(monotonic)
  return {
    retries: new RetryBudget(),
    circuits: new Circuits(monotonic, { canConnect: (address) => probe.canConnect(address) }),
    observations: new Observations(monotonic),
    accessTokens: new AccessTokens({ send: upstream.send, sendDirectly: direct.send }, { now, monotonic }),
    reasoning: new ReasoningMemory(monotonic, parts.memoryPlan.cacheBytes),
    contentCaches: new ContentCaches(monotonic),
  }
}

type Limited = Pick<Materials, 'config' | 'db' | 'parts' | 'log'> & Clocks & Pick<AppContext, 'ledger' | 'metrics'>

function openSpendLimits({ config, parts, ledger, ...more }: Limited & { processName: string }): SpendLimits {
  const processCount = () => 1 + (parts.late.replica?.peers().length ?? 0)
  const limits = new SpendLimits({ ...more, processCount, linesWaiting: () => ledger.waiting })
  limits.replace(config.spendLimits)
  return limits
}

function storage({ config, db, parts, log, now, monotonic }: Materials) {
  const journal = new Journal({
    folder: join(config.dataDir, 'ledger'),
    id: randomUUID(),
    maxBytes: config.ledgerJournalMb * MB,
    log,
  })
  return {
    keyCache: new KeyCache({ db, now, monotonic, fixed: fixedKeys(config), ...parts.keysOnDisk }),
    db,
    ledger: new Ledger({ db, journal, log }),
    inFlight: new InFlight({ newPath: () => journal.newInFlightPath(), now, log }),
    files: {
      db,
      blobs: parts.blobs,
      newId: randomUUID,
      ...fileLimits(config),
      arriving: new ArrivingBytes(),
    },
    links: { db, now, secret: () => parts.late.linkSecret, base: baseOfLinks(config, parts.listeners) },
  }
}

/** Milliseconds since the process started. Callers see durations, and those are whole numbers. */
function wholeMs(): number {
  return Math.floor(performance.now())
}

/** The members of the context that a test replaces. */
function replaced(overrides: ContextOverrides): Partial<AppContext> {
  const members = Object.entries(overrides).filter(([name]) => REPLACEABLE.has(name))
  return Object.fromEntries(members)
}
