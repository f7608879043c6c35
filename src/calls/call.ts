import { Problem, problem } from '../contract/problems.ts'
import type { ChatCall, Note } from '../dialects/chat-codec.ts'
import type { HookRun } from '../hooks/hook.ts'
import { inputOf, outputOf, rareTokens, type Tokens } from '../billing/token-buckets.ts'
import type { Attachments } from '../files/attachments.ts'
import type { Caller } from '../access/caller.ts'
import { ClientGone } from './client-gone.ts'
import type { MemoryLease } from './memory-budget.ts'
import type { Ledger } from '../billing/ledger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** One request through the gateway, from its first byte to its ledger line. Filled in as it goes. */
export type Call = {
  readonly id: string
  readonly caller: Caller
  readonly endpoint: string
  readonly startedAt: number
  /** Ends every attempt, timer and wait of this call: the client left, or the gateway is shutting down. */
  readonly signal: AbortSignal
  /** The caller sent `x-gatehouse-metadata: enabled`. */
  readonly wantsMetadata: boolean
  /** Raises the signal; absent where somebody else sees to the time. */
  readonly controller?: AbortController | undefined
  /** Milliseconds that the caller is willing to wait, over all attempts. */
  readonly callerTimeoutMs?: number | undefined
  /** Whether headers or fields of the caller's own go to the provider. Only asked for when something fails. */
  isCustomized: () => boolean
  /** What it holds of the memory that all share; absent where nobody counts. */
  readonly memory?: MemoryLease | undefined
  deadline: NodeJS.Timeout | undefined
  stream: boolean
  attempts: Attempt[]
  notes: Note[]
  hooks: HookRun[]
  /** What its files say, for targets that take none. */
  files?: TextsOfFiles | undefined
  /** Files that are read while they are sent. */
  attachments?: Attachments | undefined
  /** Why the router chose these targets. */
  routing: object | null
  model: string | null
  provider: string | null
  tokens: Tokens | null
  /** True when the provider sent no counts and we made them from the text. */
  estimated: boolean
  /** True for a task, whose answer names what it cost even where that is a guess. */
  tellsEstimate: boolean
  /** True when something that is paid for beside the tokens was not counted. */
  costIsPartial: boolean
  /** What the cost was made from beside the tokens (searches, units that were billed), by name. */
  basis: Record<string, number>
  /** Providers that were paid for a part of the answer. */
  parts: number
  cost: number | null
  /** What hooks cost before the model's own cost is known. */
  hookCost: number | null
  /** The day of the prices that the cost was made from. */
  priceVersion: string | null
  /** What the provider says that it cost. */
  providerCost: number | null
  firstTokenAt: number | null
  status: number
  code: string | null
}

/** The texts of a call's files, read for targets that do not accept files. */
export type TextsOfFiles = {
  /** Reads what this target could not; undefined where there is nothing to wait for. */
  readyFor(target: object): Promise<void> | undefined
  /** The call as this target can take it. */
  fit<Input extends ChatCall>(input: Input, target: object): Input
}

type Clock = { now(): number }

export type Attempt = { model: string; provider: string; outcome: string; durationMs: number }

export function newCall(
  fixed: Pick<
    Call,
    | 'id'
    | 'caller'
    | 'endpoint'
    | 'startedAt'
    | 'signal'
    | 'wantsMetadata'
    | 'controller'
    | 'callerTimeoutMs'
    | 'memory'
  > &
    Partial<Pick<Call, 'isCustomized'>>,
): Call {
  return {
    isCustomized: never,
    ...fixed,
    stream: false,
    attempts: [],
    notes: [],
    hooks: [],
    routing: null,
    deadline: undefined,
    model: null,
    provider: null,
    tokens: null,
    estimated: false,
    tellsEstimate: false,
    costIsPartial: false,
    basis: {},
    parts: 0,
    cost: null,
    hookCost: 0,
    priceVersion: null,
    providerCost: null,
    firstTokenAt: null,
    status: 200,
    code: null,
  }
}

function never(): boolean {
  return false
}

/** The status that nginx gave a client who left before the answer; it is only ever seen in logs and the ledger. */
const CLIENT_GONE = 499

/** Notes how a call failed. What was not spent costs nothing, which is not the same as an unknown cost. */
export function failCall(call: Call, error: unknown): unknown {
  const reason = call.signal.aborted ? call.signal.reason : error
  const known = reason instanceof Problem ? reason : problem('internal_error')
  call.status = reason instanceof ClientGone ? CLIENT_GONE : known.status
  call.code = reason instanceof ClientGone ? 'client_gone' : known.code
  if (!call.tokens) call.cost = call.hookCost
  return reason
}

/** The whole call has this long, whatever it does with the time: all attempts, waits and the answer itself. */
export function limitCall(call: Call, totalMs: number): void {
  const { controller } = call
  if (!controller || call.deadline) return
  const ms = Math.min(totalMs, call.callerTimeoutMs ?? totalMs)
  call.deadline = setTimeout(raise, ms, controller)
}

function raise(controller: AbortController): void {
  controller.abort(TOO_LATE)
}

const TOO_LATE = problem('upstream_timeout', {
  message: 'The answer was not complete when the time for this request was over.',
  limit: 'total',
})

/** The `gatehouse` object of an answer: what happened on the way to it. */
export function metadataOf(call: Call, { now }: Clock) {
  const { attempts, notes, hooks, routing, estimated, startedAt, firstTokenAt } = call
  const timings = {
    total_ms: now() - startedAt,
    ...(firstTokenAt !== null && { first_token_ms: firstTokenAt - startedAt }),
  }
  return {
    attempts: attempts.map(({ durationMs, ...attempt }) => ({ ...attempt, duration_ms: durationMs })),
    notes,
    hooks,
    ...(routing && { routing }),
    timings,
    ...(estimated && { usage_estimated: true }),
  }
}

/** The cost as callers are told it, in the answer and in its header: a task's always, others only where it is no estimate. */
export function knownCost({ cost, estimated, tellsEstimate, costIsPartial }: Call): number | null {
  return (estimated && !tellsEstimate) || costIsPartial ? null : cost
}

function moreThanTokens({ tokens, basis }: Call): Record<string, number> | null {
  const rare = tokens && rareTokens(tokens)
  return Object.keys(basis).length === 0 ? rare : { ...rare, ...basis }
}

/** Writes the ledger line and the counters, however the call ended. */
export function closeCall(call: Call, { now, ledger, metrics }: Clock & { ledger: Ledger; metrics: Metrics }): void {
  const { tokens, model, provider } = call
  const at = now()
  clearTimeout(call.deadline)
  // A file that cannot be closed is closed with the process: no reason to end it now.
  call.attachments?.close().catch(() => {})
  ledger.record({
    id: call.id,
    at,
    keyId: call.caller.keyId,
    owner: call.caller.owner,
    endpoint: call.endpoint,
    model: model ?? '',
    provider: provider ?? '',
    status: call.status,
    code: call.code,
    stream: call.stream,
    attempts: call.attempts.length,
    promptTokens: tokens ? inputOf(tokens) : 0,
    cachedTokens: tokens?.cacheRead ?? 0,
    cacheWriteTokens: tokens ? tokens.cacheWrite + tokens.cacheWrite1h : 0,
    completionTokens: tokens ? outputOf(tokens) : 0,
    reasoningTokens: tokens?.reasoning ?? 0,
    cost: call.cost,
    estimated: call.estimated || call.costIsPartial,
    durationMs: at - call.startedAt,
    firstTokenMs: call.firstTokenAt === null ? null : call.firstTokenAt - call.startedAt,
    moreTokens: moreThanTokens(call),
    priceVersion: call.priceVersion,
    providerCost: call.providerCost,
  })
  if (!model || !provider) return
  metrics.spent(provider, model, tokens && { input: inputOf(tokens), output: outputOf(tokens) }, call.cost)
  if (call.firstTokenAt !== null) metrics.began(provider, model, (call.firstTokenAt - call.startedAt) / 1000)
}
