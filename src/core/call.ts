import type { Usage } from '../contract/chat-reply.ts'
import { Problem, problem } from '../contract/problems.ts'
import type { Note } from '../dialects/dialect.ts'
import { inputOf, outputOf, type Tokens } from './account.ts'
import type { Caller } from './caller.ts'
import type { Outside } from './outside.ts'

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
  stream: boolean
  attempts: Attempt[]
  notes: Note[]
  model: string | null
  provider: string | null
  tokens: Tokens | null
  /** True when the provider sent no counts and we made them from the text. */
  estimated: boolean
  usageEstimate: Usage | null
  cost: number | null
  firstTokenAt: number | null
  status: number
  code: string | null
}

export type Attempt = { model: string; provider: string; outcome: string; durationMs: number }

export function newCall(
  fixed: Pick<Call, 'id' | 'caller' | 'endpoint' | 'startedAt' | 'signal' | 'wantsMetadata'>,
): Call {
  return {
    ...fixed,
    stream: false,
    attempts: [],
    notes: [],
    model: null,
    provider: null,
    tokens: null,
    estimated: false,
    usageEstimate: null,
    cost: null,
    firstTokenAt: null,
    status: 200,
    code: null,
  }
}

/** The status that nginx gave a client who left before the answer; it is only ever seen in logs and the ledger. */
const CLIENT_GONE = 499

/** Notes how a call failed. What was not spent costs nothing, which is not the same as an unknown cost. */
export function failCall(call: Call, error: unknown): unknown {
  const reason = call.signal.aborted ? call.signal.reason : error
  const known = reason instanceof Problem ? reason : problem('internal_error')
  call.status = reason instanceof ClientGone ? CLIENT_GONE : known.status
  call.code = reason instanceof ClientGone ? 'client_gone' : known.code
  if (!call.tokens) call.cost = 0
  return reason
}

/** Why a call's signal was raised when nobody is left to read the answer. */
export class ClientGone extends Error {}

/** The `gatehouse` object of an answer: what happened on the way to it. */
export function metadataOf(call: Call, { now }: Outside) {
  const { attempts, notes, estimated, startedAt, firstTokenAt } = call
  const timings = {
    total_ms: now() - startedAt,
    ...(firstTokenAt !== null && { first_token_ms: firstTokenAt - startedAt }),
  }
  return {
    attempts: attempts.map(({ durationMs, ...attempt }) => ({ ...attempt, duration_ms: durationMs })),
    notes,
    hooks: [],
    timings,
    ...(estimated && { usage_estimated: true }),
  }
}

/** Writes the ledger line and the counters, however the call ended. */
export function closeCall(call: Call, { now, ledger, metrics }: Outside): void {
  const { tokens, model, provider } = call
  const at = now()
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
    cacheWriteTokens: tokens?.cacheWrite ?? 0,
    completionTokens: tokens ? outputOf(tokens) : 0,
    reasoningTokens: tokens?.reasoning ?? 0,
    cost: call.cost,
    estimated: call.estimated,
    durationMs: at - call.startedAt,
    firstTokenMs: call.firstTokenAt === null ? null : call.firstTokenAt - call.startedAt,
  })
  if (!model || !provider) return
  metrics.spent(provider, model, tokens && { input: inputOf(tokens), output: outputOf(tokens) }, call.cost)
  if (call.firstTokenAt !== null) metrics.began(provider, model, (call.firstTokenAt - call.startedAt) / 1000)
}
