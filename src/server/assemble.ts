import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { FairSemaphore } from '../base/fairness/fair-semaphore.ts'
import { KeyCache } from '../tenants/access/key-cache.ts'
import { baseOfLinks, catalogOf, fileLimits } from './active-services.ts'
import type { CallServices } from '../calls/services/call-services.ts'
import type { Clock } from '../platform/ground.ts'
import type { EdgeServices } from '../http/edge-services.ts'
import { OpenExports } from '../http/export/open-exports.ts'
import type { OperationServices } from '../http/operation-services.ts'
import { backOffMs, sleep } from '../calls/attempts/back-off.ts'
import { Circuits } from '../calls/attempts/circuits.ts'
import { Observations } from '../calls/attempts/observations.ts'
import { RetryBudget } from '../calls/attempts/retry-budget.ts'
import { InFlight } from '../money/billing/in-flight.ts'
import { Journal } from '../money/billing/journal.ts'
import { Ledger } from '../money/billing/ledger.ts'
import { LiveRequests } from '../money/billing/live-requests.ts'
import { ContentCaches } from '../calls/content-caches.ts'
import { PassedTexts } from '../calls/passed-texts.ts'
import { MemoryBudget } from '../calls/memory-budget.ts'
import { ReasoningMemory } from '../calls/reasoning-memory.ts'
import type { OpenTelemetry } from '../calls/tracing/open-telemetry.ts'
import { AliasTable } from '../platform/config/aliases/alias-table.ts'
import type { Config } from '../platform/config/config.ts'
import { DEFAULT_TIMEOUTS, type Timeouts } from '../platform/config/timeouts.ts'
import { Contents } from '../calls/contents/contents.ts'
import { ArrivingBytes } from '../calls/files/arriving-bytes.ts'
import { openMcp } from '../calls/mcp/mcp-servers.ts'
import { openCallerUrls } from '../calls/files/caller-urls.ts'
import { MAX_WAITING_JOBS } from '../jobs/demand-room.ts'
import type { JobServices } from '../jobs/job-services.ts'
import { SpendLimits } from '../money/limits/spend-limits.ts'
import { loopSlot, nextBatch } from '../platform/net/batch.ts'
import { AccessTokens } from '../platform/net/identity/access-tokens.ts'
import type { OpenNetwork } from './network.ts'
import { openIssuers } from './open-issuers.ts'
import { modelToolsFor } from '../endpoints/guardrails/model-tools.ts'
import { GuardrailTable } from '../tenants/guardrails/guardrail-table.ts'
import { fixedKeys } from './open-keys.ts'
import type { Parts } from './open-parts.ts'
import { requestIds } from './request-ids.ts'
import { createSandbox } from '../translation/sandbox/sandbox.ts'
import type { LastingServices } from './services-of.ts'
import { sharedMetrics } from './shared-metrics.ts'
import { type HashingServices, PASSWORD_COST } from '../tenants/sign-in/password-hash.ts'
import type { Database } from '../platform/store/database.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { MB } from '../base/units/units.ts'

export const DEFAULT_TIMES = {
  heartbeatMs: 15_000,
  cutAfterMs: 2_000,
  localModelsMs: 2_000,
  // Callers count before they send the real request, so a slower count is of no use to them.
  countTokensMs: 2_000,
  afterFinishMs: 1_000,
}

/** Each of them asks the store. */
const MAX_MANAGEMENT_LOOKUPS = 8

/** What tests replace in the services. */
export type ServiceOverrides = Partial<
  Clock &
    HashingServices &
    Pick<
      CallServices,
      'memory' | 'localModelsMs' | 'countTokensMs' | 'afterFinishMs' | 'send' | 'backOffMs' | 'sleep'
    > &
    Pick<CallServices, 'circuits' | 'retries'> &
    Pick<JobServices, 'maxWaitingJobs'> &
    Pick<EdgeServices, 'heartbeatMs' | 'cutAfterMs' | 'moreTools'> &
    Pick<OperationServices, 'readMetrics'>
> & {
  timeouts?: Partial<Timeouts>
  /** How long it may go unnoticed that a project keeps content. */
  contentLookMs?: number
  /** How long a change of a key may go unnoticed. */
  keyLookMs?: number
  /** How long /metrics waits for the store. */
  storeMetricsMs?: number
}

/** What the services are made of. */
type Materials = {
  config: Config
  db: Database
  network: OpenNetwork
  parts: Parts
  log: Logger
  metrics: Metrics
  telemetry: Pick<OpenTelemetry, 'tracing' | 'agents'> | undefined
  clock: Clock
  /** A name for this process that no other process has. */
  processName: string
}

/** The services of calls with the first configuration, and those of the other groups that do not depend on a configuration. */
export type Assembled = { calls: CallServices; lasting: AssembledGroups }

type AssembledGroups = Omit<LastingServices, 'operations' | 'tenants' | 'money'> & {
  tenants: Omit<LastingServices['tenants'], 'refreshAliases' | 'refreshGuardrails' | 'refreshStored'>
  money: Omit<LastingServices['money'], 'refreshLimits'>
  operations: Omit<OperationServices, 'describeConfig' | 'reloadConfig' | 'changeLogLevel'>
}

export function clockOf({ now = Date.now, monotonic = wholeMs }: ServiceOverrides): Clock {
  return { now, monotonic }
}

/** Milliseconds since the process started. Callers see durations, and those are whole numbers. */
function wholeMs(): number {
  return Math.floor(performance.now())
}

export function assemble(materials: Materials, overrides: ServiceOverrides): Assembled {
  const { config, db, network, parts, log, clock, processName } = materials
  const calls = callServices(materials, overrides)
  const { ledger, spendLimits } = calls
  const { secrets, background, webhookKeys, sendTest, replica } = parts.late
  return {
    calls,
    lasting: {
      jobs: {
        maxWaitingJobs: overrides.maxWaitingJobs ?? MAX_WAITING_JOBS,
        background,
        // The key may be replaced at any time.
        webhookKeys: {
          get current() {
            return webhookKeys.current?.current
          },
        },
        sendTest,
      },
      tenants: {
        keyCache: new KeyCache({
          db,
          ...clock,
          fixed: fixedKeys(config),
          ...parts.keysOnDisk,
          refreshMs: overrides.keyLookMs,
        }),
        ...openIssuers(config, { db, send: network.upstream.send, log, ...clock }),
        passwordCost: overrides.passwordCost ?? PASSWORD_COST,
        secrets,
      },
      money: { liveRequests: new LiveRequests({ ledger, db, now: clock.now }) },
      operations: {
        db,
        processName,
        replica,
        openExports: new OpenExports(clock),
        readMetrics: overrides.readMetrics ?? (async (own) => own),
        readSharedMetrics: sharedMetrics({ db, spendLimits, ...clock, answerMs: overrides.storeMetricsMs }),
      },
      edge: {
        managementLookups: new FairSemaphore({ capacity: MAX_MANAGEMENT_LOOKUPS }),
        agentTelemetry: materials.telemetry?.agents,
        newRequestId: requestIds(),
        heartbeatMs: overrides.heartbeatMs ?? DEFAULT_TIMES.heartbeatMs,
        cutAfterMs: overrides.cutAfterMs ?? DEFAULT_TIMES.cutAfterMs,
        moreTools: overrides.moreTools ?? [],
      },
    },
  }
}

function callServices(materials: Materials, overrides: ServiceOverrides): CallServices {
  const { config, db, network, parts, log, clock, metrics, telemetry } = materials
  const sandbox = createSandbox({ now: clock.now, loopSlot })
  const journal = openJournal(config, log)
  const ledger = new Ledger({ db, journal, log })
  return {
    ...clock,
    db,
    newId: randomUUID,
    nextBatch: () => (parts.health.inFlight > 1 ? nextBatch() : undefined),
    loopSlot,
    memory: overrides.memory ?? new MemoryBudget({ capacity: parts.memoryPlan.requestBytes }),
    send:
      overrides.send ??
      ((request, options) => (request.url.startsWith('sandbox:') ? sandbox : network.upstream.send)(request, options)),
    engine: parts.engines.run,
    timeouts: { ...DEFAULT_TIMEOUTS, ...overrides.timeouts },
    sleep: overrides.sleep ?? sleep,
    backOffMs: overrides.backOffMs ?? backOffMs,
    ...memories(materials, overrides),
    localModelsMs: overrides.localModelsMs ?? DEFAULT_TIMES.localModelsMs,
    countTokensMs: overrides.countTokensMs ?? DEFAULT_TIMES.countTokensMs,
    afterFinishMs: overrides.afterFinishMs ?? DEFAULT_TIMES.afterFinishMs,
    ...firstConfigured(materials),
    ledger,
    inFlight: new InFlight({ newPath: () => journal.newInFlightPath(), now: clock.now, log }),
    spendLimits: openSpendLimits(materials, ledger),
    guardrails: openGuardrails(config),
    modelTools: modelToolsFor,
    contents: openContents(materials, overrides.contentLookMs),
    ownListeners: parts.ownListeners,
    metrics,
    tracing: telemetry?.tracing,
  }
}

/** What this process learns from calls and remembers for the next ones. */
function memories({ network: { upstream, direct, openProbe }, parts, clock }: Materials, overrides: ServiceOverrides) {
  const { monotonic } = clock
  const probe = openProbe(monotonic)
  return {
    retries: overrides.retries ?? new RetryBudget(),
    circuits: overrides.circuits ?? new Circuits(monotonic, { canConnect: (address) => probe.canConnect(address) }),
    observations: new Observations(monotonic),
    accessTokens: new AccessTokens({ send: upstream.send, sendDirectly: direct.send }, clock),
    reasoning: new ReasoningMemory(monotonic, parts.memoryPlan.cacheBytes),
    contentCaches: new ContentCaches(monotonic),
    passedTexts: new PassedTexts(),
  }
}

/** What is made of the configuration of the start. A reload makes it anew (active-services.ts). */
function firstConfigured({ config, db, parts, clock: { now, monotonic } }: Materials) {
  return {
    config,
    catalog: catalogOf(config, now),
    aliases: new AliasTable(config.aliases),
    files: { db, blobs: parts.blobs, newId: randomUUID, ...fileLimits(config), arriving: new ArrivingBytes() },
    links: { db, now, secret: parts.late.linkSecret, base: baseOfLinks(config, parts.listeners) },
    callerUrls: openCallerUrls(parts.egress),
    mcp: openMcp({ servers: config.mcp.servers, egress: parts.egress, monotonic }),
  }
}

function openJournal(config: Config, log: Logger): Journal {
  const maxBytes = config.ledgerJournalMb * MB
  return new Journal({ folder: join(config.dataDir, 'ledger'), id: randomUUID(), maxBytes, log })
}

function openSpendLimits({ config, db, parts, clock, log, metrics, processName }: Materials, ledger: Ledger) {
  const processCount = () => 1 + (parts.late.replica.current?.peers().length ?? 0)
  const linesWaiting = () => ledger.waiting
  const limits = new SpendLimits({ db, log, metrics, processName, ...clock, processCount, linesWaiting })
  limits.replace(config.spendLimits)
  return limits
}

function openGuardrails({ guardrails }: Config): GuardrailTable {
  const table = new GuardrailTable()
  table.replace(guardrails, undefined)
  return table
}

function openContents({ db, parts, metrics, log, clock: { now } }: Materials, lookMs: number | undefined): Contents {
  return new Contents({
    db,
    blobs: parts.blobs,
    secrets: parts.late.secrets,
    engine: parts.engines.run,
    log,
    now,
    lookMs,
    dropped: (reason) => metrics.contentDropped.add([reason]),
  })
}
