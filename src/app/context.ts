import type { Catalog } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import type { TimeLimits } from '../config/limits.ts'
import type { RunEngine } from '../engine-api/engines.ts'
import type { Send } from '../wire/wire.ts'
import type { AccessTokens } from '../net/access-tokens.ts'
import type { Circuits } from '../attempts/circuits.ts'
import type { CallerUrls } from '../files/caller-urls.ts'
import type { FileContext } from '../files/files.ts'
import type { Database } from '../store/database.ts'
import type { KeyCache } from '../access/key-cache.ts'
import type { Ledger } from '../billing/ledger.ts'
import type { MemoryBudget } from '../calls/memory-budget.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ReasoningMemory } from '../calls/reasoning-memory.ts'
import type { ResultLinks } from '../files/result-links.ts'
import type { RetryBudget } from '../attempts/retry-budget.ts'
import type { Observations } from '../attempts/observations.ts'

/** Everything the domain needs from beyond itself, assembled once in gateway.ts and handed in. */
export type AppContext = {
  now(): number
  newId(): string
  /** Unique, not secret, and cheap: there is one for every request. */
  newRequestId(): string
  /** What comes together costs less when it is worked on together (net/batch.ts); undefined: there is nobody to wait for. */
  nextBatch(): Promise<void> | undefined
  /** For what takes long: one at a time, with everything else in between. Owners take turns. */
  loopSlot(owner: string): Promise<void>
  /** Bytes that requests hold, shared between owners. */
  memory: MemoryBudget
  send: Send
  engine: RunEngine
  /** How long things may take where the config says nothing else. */
  limits: TimeLimits
  /** Ends early, with an error, when the signal is raised. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** How long to wait before a retry: longer each time, and never the same for all who wait. */
  backOffMs(retries: number): number
  retries: RetryBudget
  circuits: Circuits
  observations: Observations
  accessTokens: AccessTokens
  reasoning: ReasoningMemory
  /** A stream that has been silent this long gets a comment. */
  heartbeatMs: number
  config: Config
  catalog: Catalog
  keyCache: KeyCache
  db: Database
  ledger: Ledger
  files: FileContext
  links: ResultLinks
  callerUrls: CallerUrls
  /** A job was handed in here: no need to wait for the next look into the queue. */
  wakeWorker(): void
  /** A webhook was put back into the outbox. */
  wakeDeliverer(): void
  webhookPublicKey: string
  /** The key of the signature that covers the time: as Standard Webhooks writes it, and as PEM. */
  webhookTimestampKey: { standard: string; pem: string }
  metrics: Metrics
  /** Where several processes serve, those of the others are added to our own. */
  readMetrics(own: string): Promise<string>
}
