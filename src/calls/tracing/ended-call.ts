import type { Call } from '../call.ts'
import type { CallRecord } from '../call-record.ts'
import type { Spending } from '../spending.ts'
import type { CallTrace } from '../call-trace.ts'
import type { AttemptRecord } from '../attempt-record.ts'
import { lasted } from '../request-detail.ts'
import type { Names } from '../../platform/telemetry/semconv.ts'
import type { AttributeList, Span, SpanStatus } from '../../platform/telemetry/otlp/span.ts'
import type { SpanSource } from '../../platform/telemetry/otlp/span-queue.ts'
import { newSpanId } from '../../platform/telemetry/trace-ids.ts'
import { addParameters, conversationIn } from './request-parameters.ts'
import { addAnswer, addJob, addRoute, addTokens } from './span-attributes.ts'
import type { SpanParts } from './span-parts.ts'

const MAX_ATTEMPTS = 64
const MAX_HOOKS = 32
const MAX_LIMITS = 32
const FIRST_ERROR = 400
const FIRST_SERVER_ERROR = 500
/** Neither is a failure of the target: it answered, or the call did not wait for its answer any more. */
const NO_FAILURE: ReadonlySet<string> = new Set(['answered', 'abandoned'])

/** Both clocks at the same moment: the end of a call. */
export type Moment = { readonly wallMs: number; readonly monotonicMs: number }

type Ending = { readonly parts: SpanParts; readonly operation: string; readonly end: Moment }

export function isFailed({ outcome }: AttemptRecord): boolean {
  return !NO_FAILURE.has(outcome)
}

/** Whether something went wrong that an operator wants to see, although a fallback may have answered. */
export function hasProblem({ status, attempts }: Pick<CallRecord, 'status' | 'attempts'>): boolean {
  return status >= FIRST_SERVER_ERROR || attempts.some(isFailed)
}

/**
 * A call that has ended: one span for itself, and one for each attempt. It holds the call with its request, so it is encoded
 * soon.
 */
export class EndedCall implements SpanSource {
  readonly #call: Call
  readonly #trace: CallTrace
  readonly #parts: SpanParts
  readonly #names: Names
  readonly #operation: string
  readonly #end: Moment
  readonly #attempts: readonly AttemptRecord[]

  constructor(call: Call, trace: CallTrace, { parts, operation, end }: Ending) {
    this.#call = call
    this.#trace = trace
    this.#parts = parts
    this.#names = parts.names
    this.#operation = operation
    this.#end = end
    this.#attempts = [...trace.inner, ...call.record.attempts].slice(-MAX_ATTEMPTS)
  }

  get spans(): number {
    return 1 + this.#attempts.length
  }

  encode(): string[] {
    return this.described().map(this.#parts.format.span)
  }

  /** The span of the call, and those of its attempts in their order. */
  described(): Span[] {
    const texts = { who: this.#aboutCaller(), cost: this.#aboutCost() }
    return [this.#describeOwn(texts), ...this.#attempts.map((attempt) => this.#describeAttempt(attempt, texts))]
  }

  /** Some backends filter by user, session and tags only if every span has them. So this is written once for all. */
  #aboutCaller(): string {
    const { attributes: names } = this.#names
    const { caller, record } = this.#call
    const tags = Object.entries(record.labels.tags ?? {}).map(([name, value]) => `${name}=${value}`)
    return this.#parts
      .list()
      .addText(this.#parts.ofCaller(caller))
      .add(names.userId, record.labels.endUser ?? caller.user)
      .add(names.sessionId, this.#sessionId)
      .add(names.traceTags, tags.length > 0 ? tags : null)
      .add(names.inferenceTags, tags.length > 0 ? tags : null).text
  }

  get #sessionId(): string | null {
    const { session, tags } = this.#call.record.labels
    return session ?? tags?.session_id ?? tags?.['session.id'] ?? conversationIn(this.#trace.body)
  }

  /** The span of the call has it, and that of the attempt that answered. */
  #aboutCost(): string {
    const { attributes: names } = this.#names
    const { total, isPartial, priceVersion } = this.#call.spending
    return this.#parts
      .list()
      .add(names.cost, total.cost)
      .add(names.isEstimated, total.estimated || isPartial || null)
      .add(names.priceVersion, priceVersion).text
  }

  #describeOwn(texts: Texts): Span {
    const { beforeMs } = this.#trace
    const { startedAt, record } = this.#call
    return {
      ...this.#trace,
      startMs: this.#wall(startedAt - beforeMs),
      endMs: this.#end.wallMs,
      attributes: this.#ownAttributes(texts),
      status: record.status >= FIRST_SERVER_ERROR ? { error: record.code ?? '' } : this.#recovered(),
    }
  }

  /** A call that a fallback or a retry has saved went well, although one of its spans has an error. */
  #recovered(): SpanStatus | null {
    return this.#call.record.status < FIRST_ERROR && this.#attempts.some(isFailed) ? 'ok' : null
  }

  #ownAttributes({ who, cost }: Texts): AttributeList {
    const { attributes: names } = this.#names
    const { id, record } = this.#call
    const { status, code, model, attempts, labels } = record
    const list = this.#parts.list().addText(who)
    if (this.#trace.kind === 'server') addRoute(list, this.#trace.name, this.#names).add(names.httpStatus, status)
    else addJob(list, id, this.#names)
    return list
      .addText(cost)
      .add(names.requestId, id)
      .add(names.requestedModel, labels.requestedModel)
      .add(names.answeringModel, model)
      .add(names.attempts, attempts.length)
      .add(names.hooks, hooksOf(record))
      .add(names.guardrails, guardrailsOf(record))
      .add(names.limits, limitsOf(this.#call.spending))
      .add(names.code, code)
      .add(names.errorType, status >= FIRST_SERVER_ERROR ? (code ?? String(status)) : null)
  }

  #describeAttempt(attempt: AttemptRecord, texts: Texts): Span {
    const { traceId, spanId, isSampled, state } = this.#trace
    const { spanName, attributes } = this.#parts.ofTarget(attempt, this.#operation)
    const index = this.#call.record.attempts.indexOf(attempt)
    const startMs = this.#wall(attempt.startedAt)
    const list = this.#parts.list().addText(texts.who).addText(attributes)
    this.#addOutcome(list, attempt, index)
    if (index >= 0) addParameters(list, this.#trace.body, this.#names)
    if (index >= 0 && index === this.#call.record.attempts.length - 1)
      this.#addAnswer(list, attempt).addText(texts.cost)
    return {
      traceId,
      spanId: attempt.wire.spanId ?? newSpanId(),
      parentId: spanId,
      isSampled,
      state,
      name: spanName,
      kind: 'client',
      startMs,
      endMs:
        startMs + (index < 0 ? attempt.durationMs : lasted(attempt, index, this.#call.record, this.#end.monotonicMs)),
      attributes: list,
      // The provider's own words may quote the request, so they are in the request log only.
      status: isFailed(attempt) ? { error: attempt.outcome } : null,
    }
  }

  /** `index` is negative for an attempt of a part of the call. */
  #addOutcome(list: AttributeList, attempt: AttemptRecord, index: number): void {
    const { attributes: names } = this.#names
    const { wire, outcome, credential } = attempt
    const previous = this.#call.record.attempts[index - 1]
    list
      .add(names.isStream, this.#call.record.isStream || null)
      .add(names.conversation, this.#sessionId)
      .add(names.attempt, index < 0 ? null : index + 1)
      .add(names.outcome, outcome)
      .add(names.credential, credential)
      .add(names.httpStatus, wire.status)
      .add(names.upstreamId, wire.upstreamId)
      .add(names.errorType, isFailed(attempt) ? outcome : null)
      .add(names.fallbackFrom, previous && previous.model !== attempt.model ? previous.model : null)
  }

  /** The latest attempt is the one that answered, if any did. */
  #addAnswer(list: AttributeList, { startedAt }: AttemptRecord): AttributeList {
    const { attributes: names } = this.#names
    const { answer, firstTokenAt } = this.#call.record
    const { tokens, cost } = this.#call.spending.total
    list.add(names.usageCost, cost).add(names.inferenceCost, cost)
    if (answer) addAnswer(list, answer, this.#names)
    if (tokens) addTokens(list, tokens, this.#names)
    if (tokens && this.#call.endpoint === 'chat') list.add(names.cache, tokens.cacheRead > 0 ? 'hit' : 'miss')
    if (firstTokenAt !== null) list.add(names.firstChunk, (firstTokenAt - startedAt) / 1000)
    return list
  }

  #wall(monotonicMs: number): number {
    return this.#end.wallMs - (this.#end.monotonicMs - monotonicMs)
  }
}

/** Attributes of several spans of a call, as text. */
type Texts = { readonly who: string; readonly cost: string }

function hooksOf({ hooks }: CallRecord): string[] | null {
  return hooks.length > 0 ? hooks.slice(0, MAX_HOOKS).map(({ action }) => action) : null
}

/** What was done, without the content. */
function guardrailsOf({ guardrails }: CallRecord): string[] | null {
  const done = guardrails
    .slice(0, MAX_HOOKS)
    .map(({ guardrail, check, outcome }) => `${guardrail}:${check ?? '*'}:${outcome}`)
  return done.length > 0 ? done : null
}

/** The budgets and rate limits of the latest attempt. */
function limitsOf({ reservation }: Spending): string[] | null {
  const windows = reservation?.latest.windows ?? []
  return windows.length > 0 ? windows.slice(0, MAX_LIMITS).map(({ limit }) => limit.id) : null
}
