import { withoutDust } from '../billing/token-buckets.ts'
import type { AttemptDetail, RequestDetail } from '../store/ledger/request-detail.ts'
import type { Note } from '../dialects/chat-codec.ts'
import type { HookRun } from '../hooks/hook.ts'
import type { WireTrace } from '../wire/wire.ts'

// What the request log keeps of a call beside its ledger line. Every call has one, so it is short, and what callers can make
// long is cut.

const MAX_ATTEMPTS = 32
const MAX_NOTES = 32
const MAX_HOOKS = 32
const MAX_FLAGS = 8
const MAX_LIMITS = 32
const MAX_CHARS = 300

export type AttemptRecord = {
  model: string
  provider: string
  outcome: string
  durationMs: number
  /** On the monotonic clock. */
  startedAt: number
  /** The name of the credential, if it has one; never the secret. */
  credential: string | null
  wire: WireTrace
  /** Why it failed, without secrets. */
  reason: string | null
  /** The provider's row: its address, and its name in OpenTelemetry's conventions. */
  at: { readonly baseUrl: string; readonly conventionName?: string | undefined }
}

/** The parts of a call that are kept. */
type Recorded = {
  model: string | null
  provider: string | null
  attempts: AttemptRecord[]
  notes: readonly Note[]
  hooks: readonly HookRun[]
  components: Record<string, number>
  stream: boolean
  /** It has been settled. */
  reservation?: { counted(): NonNullable<RequestDetail['l']> } | undefined
  trace?: { readonly traceId: string } | undefined
}

/** `endedAt` is on the monotonic clock. */
export function detailOf(call: Recorded, endedAt: number): RequestDetail | null {
  const { attempts, notes, hooks, components } = call
  const detail: RequestDetail = {}
  if (attempts.length > 0)
    detail.a = firstAndLast(attempts).map((attempt, index) => attemptOf(attempt, index, call, endedAt))
  if (notes.length > 0)
    detail.n = notes.slice(0, MAX_NOTES).map(({ field, action, reason }) => [clip(field), action, clip(reason)])
  if (hooks.length > 0) detail.h = hooks.slice(0, MAX_HOOKS).map(hookOf)
  const limits = call.reservation?.counted()
  if (limits && limits.length > 0) detail.l = limits.slice(0, MAX_LIMITS)
  if (call.trace) detail.t = call.trace.traceId
  for (const name in components) {
    detail.c ??= {}
    detail.c[name] = withoutDust(components[name]!)
  }
  return detail
}

/** The last attempt is the one that answered, if any did. */
function firstAndLast(attempts: AttemptRecord[]): AttemptRecord[] {
  return attempts.length <= MAX_ATTEMPTS ? attempts : [...attempts.slice(0, MAX_ATTEMPTS - 1), attempts.at(-1)!]
}

function attemptOf(attempt: AttemptRecord, index: number, call: Recorded, endedAt: number): AttemptDetail {
  const { model, provider, credential, outcome, wire, reason } = attempt
  return [
    model === call.model ? null : clip(model),
    provider === call.provider ? null : provider,
    credential,
    outcome,
    wire.status,
    wire.upstreamId,
    roundedMs(wire.connectMs),
    roundedMs(wire.firstByteMs),
    roundedMs(lasted(attempt, index, call, endedAt))!,
    reason === null ? null : clip(reason),
  ]
}

/** An attempt whose stream began goes on until the next attempt begins, or to the end of the call. */
export function lasted(
  { outcome, startedAt, durationMs }: AttemptRecord,
  index: number,
  call: Pick<Recorded, 'stream' | 'attempts'>,
  endedAt: number,
): number {
  if (!call.stream || outcome !== 'answered') return durationMs
  return (call.attempts[index + 1]?.startedAt ?? endedAt) - startedAt
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
