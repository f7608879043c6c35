import type { Ledger } from '../billing/ledger.ts'
import type { LedgerLine } from '../store/ledger/ledger-line.ts'
import { inputOf, outputOf, rareTokens } from '../billing/token-buckets.ts'
import type { Totals } from '../limits/reservation.ts'
import { toNanos } from '../store/ledger/money.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Call } from './call.ts'
import type { CallSpending } from './call-spending.ts'
import { detailOf } from './request-detail.ts'

// The end of a call: its ledger line, its metrics and its span.

type Clock = { now(): number; monotonic(): number }
type Watched = { metrics: Metrics; tracing?: { ended(call: Call): void } | undefined }

/** Writes the ledger line and the metrics, however the call ended. */
export function closeCall(call: Call, context: Clock & { ledger: Ledger } & Watched): void {
  context.ledger.record(lineOf(call, context))
  endCall(call, context)
}

/** Closes a call whose ledger line is written elsewhere. */
export function endCall(call: Call, { metrics, tracing }: Watched): void {
  clearTimeout(call.deadline)
  if (call.trace) tracing?.ended(call)
  // A file that cannot be closed now is closed when the process ends, so this failure need not fail the call.
  call.attachments?.close().catch(() => {})
  const { tokens, model, provider, firstTokenAt } = call
  if (!model || !provider) return
  metrics.spent(provider, model, tokens && { input: inputOf(tokens), output: outputOf(tokens) }, call.cost)
  if (firstTokenAt !== null) metrics.began(provider, model, (firstTokenAt - call.startedAt) / 1000)
}

/** The ledger line of a call that ends now. Its reservation ends here, before `detailOf` reads what was counted against limits. */
export function lineOf(call: Call, { now, monotonic }: Clock): LedgerLine {
  const { tokens, caller, labels } = call
  const charges = call.reservation?.settle(totalsOf(call)) ?? null
  return {
    id: call.id,
    at: now(),
    keyId: caller.keyId,
    ownerKind: caller.ownerKind,
    ownerId: caller.ownerId,
    endpoint: call.endpoint,
    model: call.model ?? '',
    provider: call.provider ?? '',
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
    durationMs: monotonic() - call.startedAt,
    firstTokenMs: call.firstTokenAt === null ? null : call.firstTokenAt - call.startedAt,
    moreTokens: moreThanTokens(call),
    priceVersion: call.priceVersion,
    providerCost: call.providerCost,
    organization: caller.organization,
    project: caller.project,
    user: caller.user,
    endUser: labels.endUser,
    tags: labels.tags,
    requestedModel: labels.requestedModel,
    detail: detailOf(call, monotonic()),
    charges,
  }
}

/** What a call has used, as its ledger line says it. */
export function totalsOf({ tokens, cost, model }: Call): Totals {
  const inputTokens = tokens ? inputOf(tokens) : 0
  return { cost: toNanos(cost), inputTokens, outputTokens: tokens ? outputOf(tokens) : 0, model: model ?? '' }
}

function moreThanTokens({ tokens, basis }: CallSpending): Record<string, number> | null {
  const rare = tokens && rareTokens(tokens)
  return Object.keys(basis).length === 0 ? rare : { ...rare, ...basis }
}
