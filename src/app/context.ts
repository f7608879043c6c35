import type { Author } from '../audit/author.ts'
import type { TestDelivery } from '../contract/admin/deliveries.ts'
import type { ConfigReport, LogLevel, ReloadReport } from '../contract/config.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { AliasTable } from '../config/aliases/alias-table.ts'
import type { Config } from '../config/config.ts'
import type { Timeouts } from '../config/timeouts.ts'
import type { RunEngine } from '../engine-api/engines.ts'
import type { Send } from '../wire/wire.ts'
import type { AccessTokens } from '../net/identity/access-tokens.ts'
import type { Circuits } from '../attempts/circuits.ts'
import type { CallerUrls } from '../files/caller-urls.ts'
import type { FileContext } from '../files/files.ts'
import type { Database } from '../store/database.ts'
import type { KeyCache } from '../access/key-cache.ts'
import type { JwtCallers } from '../jwt/jwt-callers.ts'
import type { OidcClients } from '../sign-in/oidc/client.ts'
import type { HashingContext } from '../sign-in/password-hash.ts'
import type { InFlight } from '../billing/in-flight.ts'
import type { Ledger } from '../billing/ledger.ts'
import type { LiveRequests } from '../billing/live-requests.ts'
import type { MemoryBudget } from '../calls/memory-budget.ts'
import type { Tracing } from '../calls/tracing.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Contents } from '../contents/contents.ts'
import type { ContentCaches } from '../calls/content-caches.ts'
import type { ReasoningMemory } from '../calls/reasoning-memory.ts'
import type { ResultLinks } from '../files/result-links.ts'
import type { TrustedProxies } from '../net/addresses/client-address.ts'
import type { Listener } from '../net/egress/own-listeners.ts'
import type { DryRun } from '../attempts/plan.ts'
import type { RetryBudget } from '../attempts/retry-budget.ts'
import type { SpendLimits } from '../limits/spend-limits.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Observations } from '../attempts/observations.ts'
import type { OpenExports } from './open-exports.ts'

/** Everything that the use cases need from the application. It is assembled once, in gateway.ts. */
export type AppContext = HashingContext & {
  /** The wall clock, for moments that are shown or stored. It may jump, so it measures nothing. */
  now(): number
  /** Milliseconds since any moment; never goes back. For durations, limits and how long something is remembered. */
  monotonic(): number
  newId(): string
  /** A unique id that is not secret. It is cheap, because every request gets one. */
  newRequestId(): string
  /** Work that arrives together costs less if it is done together (net/batch.ts). Undefined if there is nothing to wait for. */
  nextBatch(): Promise<void> | undefined
  /** A turn of the event loop for long work: one piece at a time, with other work in between. Owners take turns. */
  loopSlot(owner: string): Promise<void>
  /** The bytes that requests may hold, shared between owners. */
  memory: MemoryBudget
  send: Send
  engine: RunEngine
  /** Set while a request is explained: calls are planned, and not made. */
  dryRun?: DryRun | undefined
  /** The default time limits, for everything that the config does not limit itself. */
  timeouts: Timeouts
  /** Throws as soon as the signal is raised. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** How long to wait before a retry: longer each time, with a random part. */
  backOffMs(retries: number): number
  retries: RetryBudget
  circuits: Circuits
  observations: Observations
  /** Budgets and rate limits. */
  spendLimits: SpendLimits
  accessTokens: AccessTokens
  reasoning: ReasoningMemory
  /** Blocks of content that providers keep for later requests. */
  contentCaches: ContentCaches
  /** A comment is sent on a stream that has been silent for this long. */
  heartbeatMs: number
  /** After an error inside of a chat stream, the client has this long to close. Then its body is cut off. */
  cutAfterMs: number
  /** How long a local server may take to list its models. */
  localModelsMs: number
  /** How long a provider may take to count tokens. */
  countTokensMs: number
  config: Config
  catalog: Catalog
  /** The aliases of the config file and of the store. */
  aliases: AliasTable
  keyCache: KeyCache
  /** Callers with tokens of issuers that the config file names, and what follows changes for them. */
  jwtCallers: JwtCallers
  /** The clients of the providers that people sign in with. */
  oidcClients: OidcClients
  jwt: { use(config: Config): void; look(): Promise<void>; close(): void }
  db: Database
  ledger: Ledger
  /** The calls that providers work on, for the case that the process is killed. */
  inFlight: InFlight
  /** Keeps the content of calls for projects that want it. */
  contents: Contents
  /** Who follows the request log. */
  liveRequests: LiveRequests
  openExports: OpenExports
  files: FileContext
  links: ResultLinks
  callerUrls: CallerUrls
  proxies: TrustedProxies
  /** Where this process listens. */
  ownListeners(): readonly Listener[]
  /** Jobs of one owner that may wait at once, with responses in the background. */
  maxWaitingJobs: number
  /** Tells the worker that a job was submitted, so that it does not wait for its next look at the queue. */
  wakeWorker(): void
  /** Tells the worker that the owner of a job wants it to stop. */
  stopJob(id: string): void
  /** Tells the deliverer that a webhook is due again. */
  wakeDeliverer(): void
  /**
   * The public keys that verify webhooks: RSA as PEM, and the key of the signature that covers the timestamp, in the form of
   * Standard Webhooks and as PEM. They are in the store, and undefined until it has been reached.
   */
  webhookKeys(): { publicPem: string; timestampKey: { standard: string; pem: string }; signer: Signer } | undefined
  /** Sends one signed webhook to an address that has been checked, which is in the audit log. */
  testDelivery(url: string, author: Author): Promise<TestDelivery>
  /** A name for this process that no other process has. */
  processName: string
  /** The other processes on the same store that are alive. */
  peers(): readonly { id: string; role: string }[]
  metrics: Metrics
  /** Sends spans to a collector; undefined if none is configured. */
  tracing: Tracing | undefined
  /** If several processes serve requests, adds the metrics of the others to our own. */
  readMetrics(own: string): Promise<string>
  /** The metrics about the whole store, which no process adds to its own. */
  readSharedMetrics(): Promise<string>
  /** What encrypts secrets in the store; undefined until the store has been reached. */
  secrets(): Secrets | undefined
  /** Applies what operators have changed in the store, and returns the configuration then. Other processes do so within seconds. */
  refreshStored(): Promise<Config>
  /** Changes the log level of all processes; null returns to that of the configuration. */
  changeLogLevel(level: LogLevel | null, author: Author): Promise<void>
  /** The configuration for operators: every value, and where processes differ. */
  describeConfig(): Promise<ConfigReport>
  /** Reads the aliases of the store, if they have changed. */
  refreshAliases(): Promise<void>
  /** Reads the budgets and rate limits of the store, if they have changed. */
  refreshLimits(): Promise<void>
  /** Replaces the configuration of all processes of this gateway, or of none. Throws a ConfigError if it is not valid. */
  reloadConfig(author?: Author): Promise<ReloadReport>
}

/** Signs what leaves the gateway as a webhook. */
type Signer = {
  keyId: string
  sign(body: Uint8Array): Promise<string>
  signAttempt(attempt: { id: string; timestamp: number; body: Uint8Array }): Promise<string>
}

/** The context that a new call gets. A call keeps its context, and with it its configuration, until it ends. */
export type CurrentContext = { readonly current: AppContext }
