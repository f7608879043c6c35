import type { Call } from '../calls/call.ts'
import type { CallTrace } from '../calls/call-trace.ts'
import { type AttemptRecord, lasted } from '../calls/request-detail.ts'
import type { Names } from '../telemetry/semconv.ts'
import { AttributeList, encodeSpan, type SpanStatus } from '../telemetry/otlp/span.ts'
import type { SpanSource } from '../telemetry/otlp/span-queue.ts'
import { newSpanId } from '../telemetry/trace-ids.ts'
import { operationOf } from './operations.ts'
import { factsOf, modelOf } from './provider-facts.ts'
import { addParameters, conversationIn } from './request-parameters.ts'
import { addAnswer, addJob, addRoute, addTokens } from './span-attributes.ts'

const MAX_ATTEMPTS = 64
const MAX_HOOKS = 32
const MAX_LIMITS = 32
const FIRST_ERROR = 400
const FIRST_SERVER_ERROR = 500
/** Neither is a failure of the target: it answered, or nobody waited for its answer any more. */
const NO_FAILURE: ReadonlySet<string> = new Set(['answered', 'abandoned'])

/** Both clocks at the same moment: the end of a call. */
export type Moment = { readonly wallMs: number; readonly monotonicMs: number }

/** The parts of a call that its spans are made of. The call itself holds its request and is not kept. */
type Kept = Pick<
  Call,
  | ('id' | 'caller' | 'endpoint' | 'startedAt' | 'labels' | 'stream' | 'model' | 'attempts' | 'firstTokenAt')
  | ('status' | 'code' | 'tokens' | 'cost' | 'estimated' | 'costIsPartial' | 'priceVersion' | 'answer')
> & { hooks: string[]; limits: string[] | null }

export function isFailed({ outcome }: AttemptRecord): boolean {
  return !NO_FAILURE.has(outcome)
}

/** Whether something went wrong that an operator wants to see, although a fallback may have answered. */
export function hasProblem({ status, attempts }: Pick<Call, 'status' | 'attempts'>): boolean {
  return status >= FIRST_SERVER_ERROR || attempts.some(isFailed)
}

/** A call that has ended: one span for itself, and one for each attempt. */
export class EndedCall implements SpanSource {
  readonly #call: Kept
  readonly #trace: CallTrace
  readonly #names: Names
  readonly #end: Moment
  readonly #parameters = new AttributeList()
  readonly #sessionId: string | null
  readonly #attempts: readonly AttemptRecord[]
  #who: string | undefined

  /** The settings are read now, so that the body of the request need not be kept. The times of chunks are counted already. */
  constructor(call: Call, trace: CallTrace, { names, end }: { names: Names; end: Moment }) {
    this.#call = keptOf(call)
    const { body: _, ...rest } = trace
    this.#trace = { ...rest, body: undefined, chunkGaps: [] }
    this.#names = names
    this.#end = end
    this.#attempts = [...trace.inner, ...call.attempts].slice(-MAX_ATTEMPTS)
    addParameters(this.#parameters, trace.body, names)
    const { tags } = call.labels
    this.#sessionId = tags?.session_id ?? tags?.['session.id'] ?? conversationIn(trace.body)
  }

  get spans(): number {
    return 1 + this.#attempts.length
  }

  encode(): string[] {
    return [this.#encodeOwn(), ...this.#attempts.map((attempt) => this.#encodeAttempt(attempt))]
  }

  #encodeOwn(): string {
    const { name, beforeMs } = this.#trace
    const { startedAt, status } = this.#call
    return encodeSpan({
      ...this.#trace,
      name,
      startMs: this.#wall(startedAt - beforeMs),
      endMs: this.#end.wallMs,
      attributes: this.#ownAttributes(),
      status: status >= FIRST_SERVER_ERROR ? { error: this.#call.code ?? '' } : this.#recovered(),
    })
  }

  /** A call that a fallback or a retry has saved went well, although one of its spans has an error. */
  #recovered(): SpanStatus | null {
    return this.#call.status < FIRST_ERROR && this.#attempts.some(isFailed) ? 'ok' : null
  }

  #ownAttributes(): AttributeList {
    const { attributes: names } = this.#names
    const { id, status, code, model, attempts, hooks, labels, limits } = this.#call
    const list = this.#aboutCaller()
    if (this.#trace.kind === 'server') addRoute(list, this.#trace.name, this.#names).add(names.httpStatus, status)
    else addJob(list, id, this.#names)
    return this.#addCost(list)
      .add(names.requestId, id)
      .add(names.requestedModel, labels.requestedModel)
      .add(names.answeringModel, model)
      .add(names.attempts, attempts.length)
      .add(names.hooks, hooks.length > 0 ? hooks : null)
      .add(names.limits, limits)
      .add(names.code, code)
      .add(names.errorType, status >= FIRST_SERVER_ERROR ? (code ?? String(status)) : null)
  }

  /** Some backends filter by user and session only if every span has them. So this is written once for all. */
  #aboutCaller(): AttributeList {
    this.#who ??= this.#writeWho()
    const list = new AttributeList()
    list.text = this.#who
    return list
  }

  #writeWho(): string {
    const { attributes: names } = this.#names
    const { caller, labels } = this.#call
    return new AttributeList()
      .add(names.userId, labels.endUser ?? caller.user)
      .add(names.accountUser, caller.user)
      .add(names.sessionId, this.#sessionId)
      .add(names.keyId, caller.keyId)
      .add(names.project, caller.project)
      .add(names.organization, caller.organization).text
  }

  #addCost(list: AttributeList): AttributeList {
    const { attributes: names } = this.#names
    const { cost, estimated, costIsPartial, priceVersion } = this.#call
    return list
      .add(names.cost, cost)
      .add(names.isEstimated, estimated || costIsPartial || null)
      .add(names.priceVersion, priceVersion)
  }

  #encodeAttempt(attempt: AttemptRecord): string {
    const { traceId, spanId, isSampled, state, name } = this.#trace
    const operation = operationOf(name, this.#call.endpoint)
    const startMs = this.#wall(attempt.startedAt)
    return encodeSpan({
      ...{ traceId, isSampled, state, parentId: spanId, kind: 'client' },
      spanId: attempt.wire.spanId ?? newSpanId(),
      name: `${operation} ${modelOf(attempt)}`,
      startMs,
      endMs: startMs + this.#durationOf(attempt),
      attributes: this.#attemptAttributes(attempt, operation),
      // The provider's own words may quote the request, so they are in the request log only.
      status: isFailed(attempt) ? { error: attempt.outcome } : null,
    })
  }

  #durationOf(attempt: AttemptRecord): number {
    const index = this.#call.attempts.indexOf(attempt)
    return index < 0 ? attempt.durationMs : lasted(attempt, index, this.#call, this.#end.monotonicMs)
  }

  #attemptAttributes(attempt: AttemptRecord, operation: string): AttributeList {
    const { attributes: names } = this.#names
    const { name, address, port } = factsOf(attempt)
    const { wire, outcome, credential } = attempt
    const index = this.#call.attempts.indexOf(attempt)
    const previous = this.#call.attempts[index - 1]
    const list = this.#aboutCaller()
      .add(names.operation, operation)
      .add(names.provider, name)
      .add(names.requestModel, modelOf(attempt))
      .add(names.serverAddress, address)
      .add(names.serverPort, port)
      .add(names.isStream, this.#call.stream || null)
      .add(names.conversation, this.#sessionId)
      .add(names.attempt, index < 0 ? null : index + 1)
      .add(names.outcome, outcome)
      .add(names.credential, credential)
      .add(names.httpStatus, wire.status)
      .add(names.upstreamId, wire.upstreamId)
      .add(names.errorType, isFailed(attempt) ? outcome : null)
      .add(names.fallbackFrom, previous && previous.model !== attempt.model ? previous.model : null)
    if (index < 0) return list
    if (this.#parameters.text !== '') list.text += `,${this.#parameters.text}`
    return index === this.#call.attempts.length - 1 ? this.#addAnswer(list, attempt) : list
  }

  /** The latest attempt is the one that answered, if any did. */
  #addAnswer(list: AttributeList, { startedAt }: AttemptRecord): AttributeList {
    const { attributes: names } = this.#names
    const { answer, tokens, firstTokenAt } = this.#call
    if (answer) addAnswer(list, answer, this.#names)
    if (tokens) addTokens(list, tokens, this.#names)
    if (tokens && this.#call.endpoint === 'chat') list.add(names.cache, tokens.cacheRead > 0 ? 'hit' : 'miss')
    if (firstTokenAt !== null) list.add(names.firstChunk, (firstTokenAt - startedAt) / 1000)
    return this.#addCost(list)
  }

  #wall(monotonicMs: number): number {
    return this.#end.wallMs - (this.#end.monotonicMs - monotonicMs)
  }
}

/** One flat copy of plain values: the spans are written later, when nobody waits. */
function keptOf(call: Call): Kept {
  const { id, caller, endpoint, startedAt, labels, stream, model, attempts, firstTokenAt, status, code } = call
  const { tokens, cost, estimated, costIsPartial, priceVersion, answer } = call
  const hooks = call.hooks.length === 0 ? [] : call.hooks.slice(0, MAX_HOOKS).map(({ action }) => action)
  return {
    ...{ id, caller, endpoint, startedAt, labels, stream, model, attempts, firstTokenAt, status, code },
    ...{ tokens, cost, estimated, costIsPartial, priceVersion, answer, hooks, limits: limitsOf(call) },
  }
}

/** The budgets and rate limits of the latest attempt. */
function limitsOf({ reservation }: Call): string[] | null {
  const held = reservation?.latest.held ?? []
  return held.length > 0 ? held.slice(0, MAX_LIMITS).map(({ limit }) => limit.id) : null
}
