import { withoutDust } from '../money/billing/token-buckets.ts'
import type { AttemptDetail, RequestDetail } from '../platform/store/ledger/request-detail.ts'
import type { HookRun } from '../translation/hooks/hook.ts'
import type { AttemptRecord } from './attempt-record.ts'
import type { CallRecord } from './call-record.ts'

// What the request log keeps of a call beside its ledger line. Every call has one, so it is short, and what callers can make
// long is cut.

const MAX_ATTEMPTS = 32
const MAX_NOTES = 32
const MAX_HOOKS = 32
const MAX_FLAGS = 8
const MAX_LIMITS = 32
const MAX_CHARS = 300

/** What is kept of an attempt. */
export type KeptAttempt = Omit<AttemptRecord, 'providerRow'>

/** The parts of a call that are kept. */
type Recorded = {
  readonly record: Pick<CallRecord, 'model' | 'provider' | 'notes' | 'hooks' | 'isStream'> & {
    readonly attempts: readonly KeptAttempt[]
  }
  readonly spending: {
    readonly components: Readonly<Record<string, number>>
    /** When the reservation has been settled. */
    readonly counted: NonNullable<RequestDetail['l']>
  }
  readonly trace?: { readonly traceId: string } | undefined
}

/** `endedAt` is on the monotonic clock. */
export function detailOf(call: Recorded, endedAt: number): RequestDetail | null {
  const { attempts, notes, hooks } = call.record
  const detail: RequestDetail = {}
  if (attempts.length > 0)
    detail.a = firstAndLast(attempts).map((attempt, index) => attemptOf(attempt, index, call.record, endedAt))
  if (notes.length > 0)
    detail.n = notes.slice(0, MAX_NOTES).map(({ field, action, reason }) => [clip(field), action, clip(reason)])
  if (hooks.length > 0) detail.h = hooks.slice(0, MAX_HOOKS).map(hookOf)
  if (call.trace) detail.t = call.trace.traceId
  addSpent(detail, call.spending)
  return detail
}

/** What was counted against limits, and what the cost is made of. */
export function addSpent(detail: RequestDetail, { components, counted }: Recorded['spending']): void {
  if (counted.length > 0) detail.l = counted.slice(0, MAX_LIMITS)
  for (const name in components) {
    detail.c ??= {}
    detail.c[name] = withoutDust(components[name]!)
  }
}

/** The last attempt is the one that answered, if any did. */
function firstAndLast(attempts: readonly KeptAttempt[]): readonly KeptAttempt[] {
  return attempts.length <= MAX_ATTEMPTS ? attempts : [...attempts.slice(0, MAX_ATTEMPTS - 1), attempts.at(-1)!]
}

function attemptOf(attempt: KeptAttempt, index: number, record: Recorded['record'], endedAt: number): AttemptDetail {
  const { model, provider, credential, outcome, wire, reason } = attempt
  return [
    model === record.model ? null : clip(model),
    provider === record.provider ? null : provider,
    credential,
    outcome,
    wire.status,
    wire.upstreamId,
    roundedMs(wire.connectMs),
    roundedMs(wire.firstByteMs),
    roundedMs(lasted(attempt, index, record, endedAt))!,
    reason === null ? null : clip(reason),
  ]
}

/** An attempt whose stream began goes on until the next attempt begins, or to the end of the call. */
export function lasted(
  { outcome, startedAt, durationMs }: KeptAttempt,
  index: number,
  record: Pick<Recorded['record'], 'isStream' | 'attempts'>,
  endedAt: number,
): number {
  if (!record.isStream || outcome !== 'answered') return durationMs
  return (record.attempts[index + 1]?.startedAt ?? endedAt) - startedAt
}

function hookOf({ action, phase, duration_ms, changed, flagged }: HookRun): NonNullable<RequestDetail['h']>[number] {
  const ran: NonNullable<RequestDetail['h']>[number] = [action, phase, roundedMs(duration_ms)!, changed ? 1 : 0]
  if (flagged) ran.push(flagged.slice(0, MAX_FLAGS).map(clip))
  return ran
}

function roundedMs(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10
}

function clip(text: string): string {
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS).toWellFormed()}…`
}
