import type { Ledger } from '../billing/ledger.ts'
import { inputOf, outputOf, rareTokens, type Tokens } from '../billing/token-buckets.ts'
import type { LedgerLine } from '../store/ledger/ledger-line.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { type Call, failureOf } from './call.ts'
import { detailOf } from './request-detail.ts'

// The end of a call: its ledger line, its metrics and its span.

type Clock = { now(): number; monotonic(): number }

export type ClosingServices = Clock & {
  ledger: Pick<Ledger, 'record'>
  metrics: Metrics
  tracing?: { ended(call: Call): void } | undefined
  /** The call is only explained, so there is nothing to record. */
  dryRun?: object | undefined
}

/** Writes the ledger line and the metrics, however the call ended. */
export function closeCall(call: Call, context: ClosingServices): void {
  if (call.isJob) call.spending.close()
  else if (!context.dryRun) context.ledger.record(lineOf(call, context))
  call.time.end()
  if (context.dryRun) return
  if (call.trace) context.tracing?.ended(call)
  const { model, provider, firstTokenAt } = call.record
  if (!model || !provider) return
  const { tokens, cost } = call.spending.total
  context.metrics.spent(provider, model, tokens && { input: inputOf(tokens), output: outputOf(tokens) }, cost)
  if (firstTokenAt !== null) context.metrics.began(provider, model, (firstTokenAt - call.startedAt) / 1000)
}

/**
 * The line of a job's execution that has ended, or that is being interrupted. If it does not end the job, another execution pays for
 * what has a ticket.
 */
export function lineOfJob(call: Call, clock: Clock, endsJob: boolean): LedgerLine {
  const { signal, record, spending } = call
  if (signal.aborted && record.status === 200) record.failed(failureOf(call, undefined))
  spending.close()
  return lineOf(endsJob ? call : { ...call, spending: spending.withoutTickets() }, clock)
}

/** The ledger line of a call that ends now. Its spending ends here, before `detailOf` reads what was counted against limits. */
export function lineOf(call: Call, { now, monotonic }: Clock): LedgerLine {
  const { caller, spending, record } = call
  const { labels, firstTokenAt } = record
  const charges = spending.close()
  const { cost, tokens, estimated } = spending.total
  return {
    id: call.id,
    at: now(),
    keyId: caller.keyId,
    owner: caller.owner,
    endpoint: call.endpoint,
    model: record.model ?? '',
    provider: record.provider ?? '',
    status: record.status,
    code: record.code,
    stream: record.isStream,
    attempts: record.attempts.length,
    promptTokens: tokens ? inputOf(tokens) : 0,
    cachedTokens: tokens?.cacheRead ?? 0,
    cacheWriteTokens: tokens ? tokens.cacheWrite + tokens.cacheWrite1h : 0,
    completionTokens: tokens ? outputOf(tokens) : 0,
    reasoningTokens: tokens?.reasoning ?? 0,
    cost,
    estimated: estimated || spending.isPartial,
    durationMs: monotonic() - call.startedAt,
    firstTokenMs: firstTokenAt === null ? null : firstTokenAt - call.startedAt,
    moreTokens: moreThanTokens(tokens, spending.basis),
    priceVersion: spending.priceVersion,
    providerCost: spending.providerCost,
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

function moreThanTokens(tokens: Tokens | null, basis: Record<string, number>): Record<string, number> | null {
  const rare = tokens && rareTokens(tokens)
  return Object.keys(basis).length === 0 ? rare : { ...rare, ...basis }
}
