import type { ForeseenLine, LineFigures } from '../money/billing/foreseen-line.ts'
import type { InFlight, InFlightCall } from '../money/billing/in-flight.ts'
import type { Ledger } from '../money/billing/ledger.ts'
import { inputOf, outputOf, rareTokens, type Tokens } from '../money/billing/token-buckets.ts'
import type { LedgerLine } from '../platform/store/ledger/ledger-line.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { type Call, failureOf } from './call.ts'
import type { CallRecord } from './call-record.ts'
import { guardrailRuns, passedGuardrails } from './guardrail-runs.ts'
import { addSpent, detailOf, type KeptAttempt } from './request-detail.ts'
import type { Spending } from './spending.ts'

// The end of a call: its ledger line, its metrics and its span.

type Clock = { now(): number; monotonic(): number }

export type ClosingServices = Clock & {
  ledger: Pick<Ledger, 'record'>
  inFlight: Pick<InFlight, 'follow'>
  metrics: Metrics
  tracing?: { ended(call: Call): void } | undefined
  /** The call is only explained, so there is nothing to record. */
  dryRun?: object | undefined
}

/** Writes the ledger line and the metrics, however the call ended. */
export function closeCall(call: Call, services: ClosingServices): void {
  try {
    call.spending.close()
  } catch (error) {
    // The line has what could not be estimated as unknown, and says that the call has failed, as its caller is told.
    call.record.failed(error)
    throw error
  } finally {
    recordEnd(call, services)
  }
}

function recordEnd(call: Call, services: ClosingServices): void {
  try {
    if (!call.isJob && !services.dryRun) recordLine(call, services)
  } finally {
    call.time.end()
  }
  if (services.dryRun) return
  if (call.trace) services.tracing?.ended(call)
  const { model, provider, firstTokenAt, guardrails } = call.record
  for (const { guardrail, check, outcome } of guardrails)
    services.metrics.guardrailChecks.add([guardrail, check ?? 'all', outcome])
  if (!model || !provider) return
  const { tokens, cost } = call.spending.total
  services.metrics.spent(provider, model, tokens && { input: inputOf(tokens), output: outputOf(tokens) }, cost)
  if (firstTokenAt !== null) services.metrics.began(provider, model, (firstTokenAt - call.startedAt) / 1000)
}

/** What a provider has answered in a batch of its own is stored together with its line, by the code that reads it. */
function recordLine(call: Call, services: ClosingServices): void {
  const line = lineOf(call, services)
  const answer = call.batch?.answer
  if (answer) answer.ended(line, call.spending)
  else services.ledger.record(line)
}

/**
 * The line of a job's execution that has ended, or that is being interrupted. If it does not end the job, another execution pays for
 * what has a ticket.
 */
export function lineOfExecution(call: Call, clock: Clock, endsJob: boolean): LedgerLine {
  const { signal, record, spending } = call
  if (signal.aborted && record.status === 200) record.failed(failureOf(call, undefined))
  spending.close()
  return lineOf(endsJob ? call : { ...call, spending: spending.withoutTickets() }, clock)
}

/** The id of the line of an execution that did not end its job. */
export function executionId(job: string, attempt: number): string {
  return `${job}.${attempt}`
}

/**
 * If the process dies, this execution of a job has a line of its own. The next execution asks again, except for what has a ticket:
 * it pays for that.
 */
export function followExecution(call: Call, attempt: number, services: ClosingServices): InFlightCall {
  const id = executionId(call.id, attempt)
  const inFlight = services.inFlight.follow(id, () => {
    const spending = call.spending.withoutTickets()
    if (!spending.hasAsked && !spending.isAboutToAsk) return null
    return lineIfInterrupted({ ...call, id, spending }, services)
  })
  call.spending.whenChanged(inFlight.changed)
  return inFlight
}

/** Of calls whose process died. No answer has this code. */
const INTERRUPTED = { status: 500, code: 'interrupted' }

/**
 * The line that a running call gets if its process dies: what has ended counts as it is, and providers go on with what has not, as
 * if it were left. Undefined as long as no provider was asked.
 */
export function lineIfInterrupted(call: Call, clock: Clock): ForeseenLine | undefined {
  const { spending } = call
  if (!spending.hasAsked) return undefined
  const { id, caller, endpoint, startedAt, trace, batch } = call
  const { labels, isStream, model, provider, notes, hooks, guardrails, firstTokenAt } = call.record
  const attempts = [...call.record.attempts, ...runningAttempts(call)]
  // Every call that takes a while comes here, and copying all of its members takes as long as the estimate.
  const record = { labels, isStream, model, provider, notes, hooks, guardrails, firstTokenAt, attempts, ...INTERRUPTED }
  const line = lineOf({ id, caller, endpoint, startedAt, trace, batch, record, spending: spending.ifLeft(0) }, clock)
  return {
    line,
    later: spending.billMoments.map((afterMs) => ({ afterMs, figures: laterFigures(spending.ifLeft(afterMs)) })),
  }
}

function laterFigures(spending: Spending): LineFigures {
  const detail: LineFigures['detail'] = {}
  addSpent(detail, spending)
  return { ...figuresOf(spending), charges: spending.close(), detail }
}

/** The attempts that have no record yet, by the latest request of each. */
function runningAttempts({ spending, record }: Call): KeptAttempt[] {
  const { running } = spending
  const latest = running.filter(({ details }, index) => {
    return !running.some((other, otherIndex) => otherIndex > index && other.details.attempt === details.attempt)
  })
  const unrecorded = latest.filter(({ report }) => !record.attempts.some(({ wire }) => wire === report))
  return unrecorded.map(({ model, report }) => ({
    model: model.id,
    provider: model.provider.id,
    outcome: INTERRUPTED.code,
    credential: null,
    reason: null,
    startedAt: 0,
    durationMs: Math.max(0, performance.now() - report.sentAt),
    wire: report,
  }))
}

type ClosedCall = Pick<Call, 'id' | 'caller' | 'endpoint' | 'startedAt' | 'trace' | 'batch' | 'spending'> & {
  readonly record: Pick<CallRecord, RecordedField> & { readonly attempts: readonly KeptAttempt[] }
}
type RecordedField =
  | 'labels'
  | 'isStream'
  | 'model'
  | 'provider'
  | 'notes'
  | 'hooks'
  | 'guardrails'
  | 'firstTokenAt'
  | 'status'
  | 'code'

/** The ledger line of a call that ends now. Its spending ends before `detailOf` reads what was counted against limits. */
export function lineOf(call: ClosedCall, { now, monotonic }: Clock): LedgerLine {
  const { caller, spending, record } = call
  const { labels, firstTokenAt } = record
  const charges = spending.close()
  const figures = figuresOf(spending)
  return {
    id: call.id,
    // A line that is written again has to be the same line.
    at: call.batch?.answer?.answer.at ?? now(),
    keyId: caller.keyId,
    ownerKind: caller.ownerKind,
    ownerId: caller.ownerId,
    endpoint: call.endpoint,
    model: record.model ?? '',
    provider: record.provider ?? '',
    status: record.status,
    code: record.code,
    stream: record.isStream,
    attempts: record.attempts.length,
    // Every call has a line, and V8 takes five times as long to make an object whose members are spread in the middle.
    promptTokens: figures.promptTokens,
    cachedTokens: figures.cachedTokens,
    cacheWriteTokens: figures.cacheWriteTokens,
    completionTokens: figures.completionTokens,
    reasoningTokens: figures.reasoningTokens,
    cost: figures.cost,
    estimated: figures.estimated,
    moreTokens: figures.moreTokens,
    durationMs: monotonic() - call.startedAt,
    firstTokenMs: firstTokenAt === null ? null : firstTokenAt - call.startedAt,
    priceVersion: spending.priceVersion,
    providerCost: spending.providerCost,
    organization: caller.organization,
    project: caller.project,
    user: caller.user,
    endUser: labels.endUser,
    tags: labels.tags,
    requestedModel: labels.requestedModel,
    session: labels.session,
    agent: labels.agent,
    parentAgent: labels.parentAgent,
    client: labels.client,
    detail: detailOf(call, monotonic()),
    charges,
    batchId: call.batch?.id ?? null,
    tier: call.batch?.tier ?? null,
    guardrails: guardrailRuns(record),
    guardrailsPassed: passedGuardrails(record),
  }
}

function figuresOf(spending: Spending) {
  const { cost, tokens, estimated } = spending.total
  return {
    promptTokens: tokens ? inputOf(tokens) : 0,
    cachedTokens: tokens?.cacheRead ?? 0,
    cacheWriteTokens: tokens ? tokens.cacheWrite + tokens.cacheWrite1h : 0,
    completionTokens: tokens ? outputOf(tokens) : 0,
    reasoningTokens: tokens?.reasoning ?? 0,
    cost,
    estimated: estimated || spending.isPartial,
    moreTokens: moreThanTokens(tokens, spending.basis),
  }
}

function moreThanTokens(tokens: Tokens | null, basis: Readonly<Record<string, number>>): Record<string, number> | null {
  const rare = tokens && rareTokens(tokens)
  return Object.keys(basis).length === 0 ? rare : { ...rare, ...basis }
}
