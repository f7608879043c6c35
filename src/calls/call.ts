import { Problem, problem } from '../contract/problems.ts'
import type { ChatCall, Note } from '../dialects/chat-codec.ts'
import type { HookRun } from '../hooks/hook.ts'
import type { Attachments } from '../files/attachments.ts'
import type { Caller } from '../access/caller.ts'
import type { CallSpending, LikelyBill } from './call-spending.ts'
import { spentBy } from './spend.ts'
import { CLIENT_GONE, ClientGone } from './client-gone.ts'
import type { ContentDraft } from './content-draft.ts'
import { type Labels, NO_LABELS } from './labels.ts'
import type { Retirement } from './retirement.ts'
import type { MemoryLease } from './memory-budget.ts'
import type { Reservation } from '../limits/reservation.ts'
import type { WorstCase } from '../limits/worst-case.ts'
import { newTrace, type WireTrace } from '../wire/wire.ts'
import type { AnswerFacts, CallTrace } from './call-trace.ts'
import type { AttemptRecord } from './request-detail.ts'

/** One request of a client, from its first byte to its ledger line. */
export type Call = CallStart & CallRecord

/** What is known when a call begins. */
export type CallStart = {
  readonly id: string
  readonly caller: Caller
  /** The scope of its route (`chat`, `universal`), not its path. */
  readonly endpoint: string
  /** On the monotonic clock, as is `firstTokenAt`. */
  readonly startedAt: number
  /** Ends every attempt, timer and wait of this call: the client left, the time of the call is over, or the gateway is shutting down. */
  readonly signal: AbortSignal
  /** Raises the signal; absent where the code that opened the call limits its time. */
  readonly controller?: AbortController | undefined
  /** The caller sent `x-gatehouse-metadata: enabled`. */
  readonly wantsMetadata: boolean
  /** The client reads the headers of the messages format. */
  readonly readsAnthropic?: boolean | undefined
  /** Milliseconds that the caller is willing to wait, over all attempts. */
  readonly callerTimeoutMs?: number | undefined
  /** The client sends this request again because it failed before. Its retries and ours are not to multiply. */
  readonly isSentAgain?: boolean | undefined
  /** The call's share of the memory budget; absent for calls that are not counted. */
  readonly memory?: MemoryLease | undefined
  /** Limits that counted the call when it was submitted to run later. */
  readonly countedBy?: readonly string[] | undefined
  /** The span of the call; absent if calls are not traced. */
  readonly trace?: CallTrace | undefined
}

/** What is found out while a call runs. */
export type CallRecord = CallSpending & {
  /** Whom the call is for, what it belongs to, which model was asked for. */
  labels: Labels
  stream: boolean
  /** The model and the provider of the latest attempt. */
  model: string | null
  provider: string | null
  /** The end of the model of the latest attempt, if the catalog knows of one. */
  retirement: Retirement | undefined
  /** Why the router chose these targets. */
  routing: object | null
  attempts: AttemptRecord[]
  /** The exchange of the latest attempt. */
  wire: WireTrace
  notes: Note[]
  /** Notes about what the client's format cannot show of a message; absent if it shows everything. */
  unseen: ((message: Record<string, unknown>) => readonly Note[]) | undefined
  hooks: HookRun[]
  /** Only known if the call is traced. */
  answer: AnswerFacts | null
  /** Whether the caller's own headers or fields go to the provider. This takes a while to find out, and is only needed after a failure. */
  isCustomized: () => boolean
  /** A number that all requests of a conversation have in common; absent where there are no conversations. */
  affinity?: (() => number) | undefined
  /** The texts of the request's files, for targets that do not accept files. */
  files?: TextsOfFiles | undefined
  /** Files that are read while they are sent. */
  attachments?: Attachments | undefined
  /** What is kept of the content, if anything. */
  content: ContentDraft | undefined
  deadline: NodeJS.Timeout | undefined
  /** When the time of the call is over, on the monotonic clock. */
  endsAt: number
  /** How often the caller wants a target to be asked again. */
  retries: number | undefined
  firstTokenAt: number | null
  status: number
  code: string | null
  /** The call that this one is a part of: it reserves and is charged for all of its parts. */
  whole?: Call | undefined
  /** What the call has reserved of budgets and rate limits; undefined if none applies. */
  reservation: Reservation | undefined
  /** The most that an attempt at a target can use, for budgets and rate limits. */
  worstCase: ((target: never) => WorstCase) | undefined
  /** The same, with counted tokens; for a call that does not fit otherwise. */
  exactCase: ((target: never) => Promise<WorstCase | undefined>) | undefined
  /** What an attempt at a target costs if the caller leaves meanwhile; undefined where the code that asks books it by itself. */
  likelyBill: ((target: never) => LikelyBill | undefined) | undefined
}

/** The texts of a call's files, read for targets that do not accept files. */
export type TextsOfFiles = {
  /** Reads the files that this target does not accept; undefined if there is nothing to wait for. */
  readyFor(target: object): Promise<void> | undefined
  /** The input with texts in the place of files that this target does not accept. */
  fit<Input extends ChatCall>(input: Input, target: object): Input
}

export function newCall(start: CallStart): Call {
  return Object.assign(newRecord(), start)
}

/** A call that is part of another one: it has the same caller, signal and files, and a record of its own. */
export function newInnerCall(outer: Call): Call {
  const { isCustomized, files, attachments, labels } = outer
  const wire = { ...newTrace(), spanId: outer.wire.spanId, traceparent: outer.wire.traceparent }
  return { ...outer, ...newRecord(), isCustomized, files, attachments, labels, wire, whole: outer.whole ?? outer }
}

/** This is one flat literal: V8 turns an object that is made of several into a slow dictionary. */
function newRecord(): CallRecord {
  return {
    labels: NO_LABELS,
    stream: false,
    model: null,
    provider: null,
    retirement: undefined,
    routing: null,
    attempts: [],
    wire: newTrace(),
    notes: [],
    unseen: undefined,
    hooks: [],
    answer: null,
    isCustomized: never,
    content: undefined,
    deadline: undefined,
    endsAt: Number.POSITIVE_INFINITY,
    retries: undefined,
    firstTokenAt: null,
    status: 200,
    code: null,
    reservation: undefined,
    worstCase: undefined,
    exactCase: undefined,
    likelyBill: undefined,
    tokens: null,
    estimated: false,
    tellsEstimate: false,
    costIsPartial: false,
    basis: {},
    components: {},
    parts: 0,
    cost: null,
    earlierCost: 0,
    priceVersion: null,
    providerCost: null,
  }
}

const never = () => false

/** Records how a call failed. A call that spent nothing costs 0, which is not the same as an unknown cost. */
export function failCall(call: Call, error: unknown): unknown {
  const reason = call.signal.aborted ? call.signal.reason : error
  const known = reason instanceof Problem ? reason : problem('internal_error')
  call.status = reason instanceof ClientGone ? CLIENT_GONE : known.status
  call.code = reason instanceof ClientGone ? 'client_gone' : known.code
  call.cost = spentBy(call)
  return reason
}

/** Limits the time of the whole call: all attempts, waits and the answer itself. */
export function limitCall(call: Call, totalMs: number): void {
  const { controller } = call
  if (!controller || call.deadline) return
  const ms = Math.min(totalMs, call.callerTimeoutMs ?? totalMs)
  call.endsAt = call.startedAt + ms
  call.deadline = setTimeout(raise, ms, controller)
}

function raise(controller: AbortController): void {
  controller.abort(TOO_LATE)
}

const TOO_LATE = problem('upstream_timeout', {
  message: 'The answer was not complete when the time for this request was over.',
  limit: 'total',
})

/** The cost as callers see it, in the answer and in its header: always for a task, otherwise only if it is not an estimate. */
export function knownCost({ cost, estimated, tellsEstimate, costIsPartial }: CallSpending): number | null {
  return (estimated && !tellsEstimate) || costIsPartial ? null : cost
}
