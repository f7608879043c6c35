import type { Call } from '../call.ts'
import type { CallTrace } from '../call-trace.ts'
import type { ArrivedRequest, PlainAnswer, TracedDelivery, TracedJob, Tracing } from '../tracing.ts'
import type { Span } from '../../platform/telemetry/otlp/span.ts'
import type { SpanSource } from '../../platform/telemetry/otlp/span-queue.ts'
import { readTraceContext, writeTraceparent } from '../../platform/telemetry/trace-context.ts'
import { newSpanId, newTraceId } from '../../platform/telemetry/trace-ids.ts'
import type { ContentDraft } from '../content-draft.ts'
import { EndedCall, hasProblem, type Moment } from './ended-call.ts'
import { HeldSpans } from './held-spans.ts'
import { operationOf } from './operations.ts'
import { traceIdOfJob } from './job-trace-id.ts'
import type { ModelMetrics } from './model-metrics.ts'
import type { Sampler } from './sampler.ts'
import { addRoute, addSubmitted } from './span-attributes.ts'
import type { SpanParts } from './span-parts.ts'

/** Webhooks follow no redirect, so one is a failure. */
const FIRST_REDIRECT = 300
const FIRST_ERROR = 400
const FIRST_SERVER_ERROR = 500

type Needs = {
  sampler: Sampler
  parts: SpanParts
  metrics: ModelMetrics
  now(): number
  monotonic(): number
  /** Takes spans that are kept. Undefined if only metrics are sent. */
  queue: { add(source: SpanSource): void } | undefined
}

/** Spans of calls, of other requests, of jobs and of webhooks. */
export class OpenTracing implements Tracing {
  readonly #needs: Needs
  readonly #waiting = new Set<HeldSpans>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  arrived({ headers, name, beforeMs, body }: ArrivedRequest): CallTrace {
    const parent = readTraceContext(headers.traceparent, headers.tracestate)
    const traceId = parent?.traceId ?? newTraceId()
    return {
      traceId,
      spanId: newSpanId(),
      parentId: parent?.spanId ?? null,
      isSampled: this.#needs.sampler.samples(traceId, parent),
      state: parent?.state ?? null,
      link: null,
      kind: 'server',
      name,
      beforeMs,
      body,
      inner: [],
      chunkGaps: [],
      isEnded: false,
    }
  }

  ended(call: Call): void {
    const { trace } = call
    // The parts of a call end with it, and are among its own spans.
    if (!trace || call.isPart) return
    trace.isEnded = true
    const { parts, metrics } = this.#needs
    const end = this.#moment()
    const operation = operationOf(trace.name, call.endpoint)
    metrics.count(call, operation, end.monotonicMs)
    if (!this.#keeps(trace, hasProblem(call.record))) return
    const ended = new EndedCall(call, trace, { parts, operation, end })
    const { content } = call.record
    // A job ends later than its call, or elsewhere.
    if (content?.isInSpans && call.endpoint === 'chat' && !call.isJob) this.#addWithContent(ended, content)
    else this.#add(ended)
  }

  /** The spans wait for what is kept of the call, and hold nothing of the call itself. */
  #addWithContent(ended: EndedCall, content: ContentDraft): void {
    const spans = new HeldSpans(ended.described(), this.#needs.parts)
    this.#waiting.add(spans)
    content.whenKept = (stored) => {
      if (!this.#waiting.delete(spans)) return
      if (stored) spans.add(stored)
      this.#add(spans)
    }
  }

  /** What is still waiting for contents goes without them. */
  release(): void {
    for (const spans of this.#waiting) this.#add(spans)
    this.#waiting.clear()
  }

  answered(trace: CallTrace, { requestId, caller, status, code, durationMs }: PlainAnswer): void {
    trace.isEnded = true
    if (!this.#keeps(trace, status >= FIRST_SERVER_ERROR)) return
    const { attributes: names } = this.#needs.parts.names
    const attributes = addRoute(this.#needs.parts.list(), trace.name, this.#needs.parts.names)
      .add(names.httpStatus, status)
      .add(names.requestId, requestId)
      .add(names.keyId, caller.keyId)
      .add(names.project, caller.project)
      .add(names.organization, caller.organization)
      .add(names.code, status >= FIRST_ERROR ? code : null)
      .add(names.errorType, status >= FIRST_SERVER_ERROR ? (code ?? String(status)) : null)
    const error = status >= FIRST_SERVER_ERROR ? { error: code ?? '' } : null
    this.#addSpan({ ...trace, attributes, status: error, ...this.#lasting(durationMs) })
  }

  submitted(trace: CallTrace, { id, name }: TracedJob): string {
    const spanId = newSpanId()
    const attributes = addSubmitted(this.#needs.parts.list(), id, this.#needs.parts.names)
    const about = { ...trace, spanId, parentId: trace.spanId, kind: 'producer', name: `submit ${name}` } as const
    if (trace.isSampled) this.#addSpan({ ...about, attributes, status: null, ...this.#lasting(0) })
    return writeTraceparent({ ...trace, spanId })
  }

  claimed({ id, name, submittedBy }: TracedJob & { submittedBy: string | undefined }): CallTrace {
    const traceId = traceIdOfJob(id)
    const link = readTraceContext(submittedBy) ?? null
    return {
      traceId,
      spanId: newSpanId(),
      isSampled: this.#needs.sampler.samples(traceId, link ?? undefined),
      parentId: null,
      state: null,
      kind: 'consumer',
      name: `run ${name}`,
      link,
      beforeMs: 0,
      body: undefined,
      inner: [],
      chunkGaps: [],
      isEnded: false,
    }
  }

  delivered({ id, jobId, url, attempt, durationMs, status }: TracedDelivery): void {
    const traceId = traceIdOfJob(jobId)
    const isFailed = status === null || status < 200 || status >= FIRST_REDIRECT
    const failure = isFailed ? { error: status === null ? 'no_answer' : String(status) } : null
    const isSampled = this.#needs.sampler.samples(traceId, undefined)
    if (!this.#keeps({ isSampled }, isFailed)) return
    const { attributes: names } = this.#needs.parts.names
    const { hostname, port } = URL.parse(url) ?? {}
    const attributes = this.#needs.parts
      .list()
      .add(names.method, 'POST')
      .add(names.httpStatus, status)
      // Only the host: people put secrets into the addresses of their receivers.
      .add(names.serverAddress, hostname || null)
      .add(names.serverPort, port ? Number(port) : null)
      .add(names.delivery, id)
      .add(names.messageId, jobId)
      .add(names.attempt, attempt)
      .add(names.errorType, failure?.error)
    const about = { traceId, spanId: newSpanId(), parentId: null, state: null, isSampled } as const
    const times = this.#lasting(durationMs)
    this.#addSpan({ ...about, kind: 'client', name: 'deliver webhook', attributes, status: failure, ...times })
  }

  #keeps({ isSampled }: Pick<CallTrace, 'isSampled'>, isProblem: boolean): boolean {
    return isSampled || (isProblem && this.#needs.sampler.keepsProblems)
  }

  #add(source: SpanSource): void {
    this.#needs.queue?.add(source)
  }

  #addSpan(span: Span): void {
    this.#add({ spans: 1, encode: () => [this.#needs.parts.format.span(span)] })
  }

  #moment(): Moment {
    return { wallMs: this.#needs.now(), monotonicMs: this.#needs.monotonic() }
  }

  #lasting(durationMs: number): Pick<Span, 'startMs' | 'endMs'> {
    const endMs = this.#needs.now()
    return { startMs: endMs - durationMs, endMs }
  }
}
