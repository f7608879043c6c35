import type { AttemptServices } from '../attempts/attempt.ts'
import type { DryRun } from '../attempts/plan.ts'
import type { InFlight } from '../../money/billing/in-flight.ts'
import type { Ledger } from '../../money/billing/ledger.ts'
import type { ContentCaches } from '../content-caches.ts'
import type { McpServers } from '../mcp/mcp-servers.ts'
import type { MemoryBudget } from '../memory-budget.ts'
import type { PassedTexts } from '../passed-texts.ts'
import type { ReasoningMemory } from '../reasoning-memory.ts'
import type { Tracing } from '../tracing.ts'
import type { Catalog } from '../../platform/catalog/catalog.ts'
import type { AliasTable } from '../../platform/config/aliases/alias-table.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Timeouts } from '../../platform/config/timeouts.ts'
import type { Contents } from '../contents/contents.ts'
import type { RunEngine } from '../../translation/engine-api/engines.ts'
import type { CallerUrls } from '../files/caller-urls.ts'
import type { FileServices } from '../files/files.ts'
import type { ResultLinks } from '../files/result-links.ts'
import type { SpendLimits } from '../../money/limits/spend-limits.ts'
import type { ModelTools } from '../../translation/guardrails/check.ts'
import type { Call } from '../call.ts'
import type { GuardrailTable } from '../../tenants/guardrails/guardrail-table.ts'
import type { Listener } from '../../platform/net/egress/own-listeners.ts'
import type { AccessTokens } from '../../platform/net/identity/access-tokens.ts'
import type { Ground } from '../../platform/ground.ts'
import type { Send } from '../../translation/wire/wire.ts'

/** What a reload replaces: the configuration and what is made of it. A call keeps those with which it began. */
type Configured = {
  config: Config
  catalog: Catalog
  /** The aliases of the config file and of the store. */
  aliases: AliasTable
  files: FileServices
  links: ResultLinks
  callerUrls: CallerUrls
  /** The MCP servers behind the gateway. */
  mcp: McpServers
}

/** What the use cases need to make a call: to route it, to ask providers, to bill it and to record it. */
export type CallServices = Ground &
  Configured &
  Turns &
  AttemptServices & {
    /** The bytes that requests may hold, shared between owners. */
    memory: MemoryBudget
    send: Send
    engine: RunEngine
    /** Set while a request is explained: calls are planned, and not made. */
    dryRun?: DryRun | undefined
    /** The default time limits, for everything that the config does not limit itself. */
    timeouts: Timeouts
    /** Budgets and rate limits. */
    spendLimits: SpendLimits
    /** What operators demand of calls. */
    guardrails: GuardrailTable
    /** What services and models have seen for guardrails, and found nothing in. */
    passedTexts: PassedTexts
    /** What checks of guardrails may ask of models, as a part of the call that is checked. */
    modelTools(call: Call, signal: AbortSignal, services: CallServices): ModelTools
    accessTokens: AccessTokens
    reasoning: ReasoningMemory
    /** Blocks of content that providers keep for later requests. */
    contentCaches: ContentCaches
    /** How long a local server may take to list its models. */
    localModelsMs: number
    /** How long a provider may take to count tokens. */
    countTokensMs: number
    /** How long a provider may keep a stream open after the last finish reason. Only usage and `[DONE]` follow. */
    afterFinishMs: number
    ledger: Ledger
    /** The calls that providers work on, for the case that the process is killed. */
    inFlight: InFlight
    /** Keeps the content of calls for projects that want it. */
    contents: Contents
    /** Sends spans to a collector; undefined if none is configured. */
    tracing: Tracing | undefined
    /** Where this process listens: a provider at one of these addresses would be the gateway itself. */
    ownListeners(): readonly Listener[]
  }

/** Turns of the event loop. */
export type Turns = {
  /** Work that arrives together costs less if it is done together (platform/net/batch.ts). Undefined if there is nothing to wait for. */
  nextBatch(): Promise<void> | undefined
  /** A turn of the event loop for long work: one piece at a time, with other work in between. Owners take turns. */
  loopSlot(owner: string): Promise<void>
}
