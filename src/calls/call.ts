import type { Caller } from '../tenants/access/caller.ts'
import type { BatchAnswer } from './batch-answer.ts'
import { type CallRecord, newPartRecord, newRecord } from './call-record.ts'
import { CallTime } from './call-time.ts'
import type { CallTrace } from './call-trace.ts'
import type { ContentDraft } from './content-draft.ts'
import { type Labels, NO_LABELS } from './labels.ts'
import type { MemoryLease } from './memory-budget.ts'
import type { OrderTerms } from './order.ts'
import { Spending } from './spending.ts'

/**
 * One request of a client, from its first byte to its ledger line: what was asked, which never changes, what it spends, and the
 * record of what happened. Its plan says how it is answered (`calls/attempts/plan.ts`).
 */
export type Call = CallFacts & {
  readonly time: CallTime
  readonly spending: Spending
  readonly record: CallRecord
}

/** What was asked, by whom. */
export type CallFacts = {
  readonly id: string
  readonly caller: Caller
  /** The scope of its route (`chat`, `universal`), not its path. */
  readonly endpoint: string
  /** On the monotonic clock. */
  readonly startedAt: number
  /** Ends every attempt, timer and wait of this call: the client left, the time of the call is over, or the gateway is shutting down. */
  readonly signal: AbortSignal
  /** The caller sent `x-gatehouse-metadata: enabled`. */
  readonly wantsMetadata: boolean
  /** The caller sent `x-edenai-metadata: enabled`, the header of the hosted original. */
  readonly wantsOriginalMetadata?: boolean | undefined
  /** The answer states its cost even if that is an estimate: that of a task. */
  readonly statesEstimates?: boolean | undefined
  /** The answer also has the headers that the hosted original has at this endpoint. */
  readonly namesOriginal?: boolean | undefined
  /** How the client speaks, if that is not our own format. */
  readonly format?: ClientFormat | undefined
  /** The client sends this request again because it failed before. Its retries and ours are not to multiply. */
  readonly isSentAgain?: boolean | undefined
  /** The call's share of the memory budget; absent for calls that are not counted. */
  readonly memory?: MemoryLease | undefined
  /** Limits that counted the call when it was submitted to run later. */
  readonly countedBy?: readonly string[] | undefined
  /** The span of the call; absent if calls are not traced. */
  readonly trace?: CallTrace | undefined
  /** Its ledger line is written together with the end of its job. */
  readonly isJob?: boolean | undefined
  /** The batch that it is a line of. */
  readonly batch?: CallBatch | undefined
  /**
   * Stores that a tool of an MCP server is called now. Absent if nothing begins this call again after its process has died: a tool may
   * have done what it was called for, so it is never called again.
   */
  readonly beforeToolCall?: ((tool: string) => Promise<void>) | undefined
  /** It is a part of another call, which pays for it and has the ledger line. */
  readonly isPart?: boolean | undefined
}

/**
 * `tier`: what the provider sold the call as; null for its usual price. `answer`: what the provider has answered in its own batch; without
 * it, the gateway asks.
 */
export type CallBatch = Pick<CallFacts, 'beforeToolCall'> & {
  readonly id: string
  readonly tier: string | null
  readonly answer?: BatchAnswer | undefined
}

/** A format of clients that cannot show everything that an answer may contain. */
type ClientFormat = 'messages' | 'responses' | 'gemini' | 'cohere' | 'completions'

export type CallStart = CallFacts & {
  readonly labels?: Labels | undefined
  readonly content?: ContentDraft | undefined
  /** Raises the signal; absent where the code that opens the call limits its time. */
  readonly controller?: AbortController | undefined
  /** Milliseconds that the caller is willing to wait, over all attempts. */
  readonly callerTimeoutMs?: number | undefined
}

export function newCall(start: CallStart): Call {
  const { startedAt, signal, controller, callerTimeoutMs, labels = NO_LABELS, content, batch } = start
  const time = new CallTime(startedAt, controller, callerTimeoutMs)
  const spending = new Spending(signal)
  batch?.answer?.begin(spending)
  return { ...start, time, spending, record: newRecord(labels, content) }
}

/** A call that is part of another one: it has the same caller, signal and time, the same spending, and a record of its own. */
export function partOf(whole: Call, terms?: OrderTerms, caller: Caller = whole.caller): Call {
  return { ...whole, caller, isPart: true, spending: whole.spending.part(terms), record: newPartRecord(whole.record) }
}

/** Why a call has failed: if its signal was raised, the reason for that, whatever was thrown afterwards. */
export function failureOf({ signal }: Pick<Call, 'signal'>, error: unknown): unknown {
  return signal.aborted ? signal.reason : error
}

/**
 * The cost as callers see it, in the answer and in its header. It is that of the answer alone, and null if it is not known exactly.
 * Only tasks state an estimate. A call that failed has no answer, and everything that it spent counts.
 */
export function knownCost({ spending, record, statesEstimates }: Call): number | null {
  if (!spending.isKnown || spending.isPartial) return null
  const { cost, estimated } = record.status === OK ? spending.answered : spending.total
  return estimated && !statesEstimates ? null : cost
}

const OK = 200
