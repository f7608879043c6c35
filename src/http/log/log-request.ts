import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import { type Logger, symbols } from 'pino'
import { inputOf, outputOf } from '../../money/billing/token-buckets.ts'
import type { Call } from '../../calls/call.ts'
import type { CallRecord } from '../../calls/call-record.ts'
import { CLIENT_GONE } from '../../calls/client-gone.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { shownPath } from '../../base/redaction/shown-path.ts'
import type { Route } from '../route.ts'
import { traceIdOf, traceOf } from '../entry/request-trace.ts'
import { isoTime } from './iso-time.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for requests that reach a model. */
    call: Call | undefined
    /** `POST /v3/chat/completions`, or `unknown`. */
    endpoint: string
    /** The code of the error that answered the request. */
    errorCode: string | undefined
  }
  interface FastifyContextConfig {
    route?: Route
  }
}

const MAX_FIELD_CHARS = 200
const MAX_ATTEMPTS = 16
const FIRST_ERROR_STATUS = 400

/**
 * Writes one log line and one count per request: ids, names and numbers. Never a key, a prompt, an answer or a query
 * string.
 */
export function logRequest(
  request: FastifyRequest,
  sent: number,
  services: Pick<CallServices, 'metrics' | 'tracing'>,
  log: Logger,
): void {
  const { call, endpoint } = request
  const status = call?.record.status ?? sent
  const durationMs = performance.now() - request.startedAt
  services.metrics.answered(endpoint, status, durationMs / 1000)
  if (services.tracing) tracePlain(request, { status, sent, durationMs }, services)
  if (log.isLevelEnabled('info')) streamOf(log).write(lineOf(request, endpoint, status, durationMs))
}

type Answered = { status: number; sent: number; durationMs: number }

/**
 * A call writes its own spans, before its last byte or soon after its client has left. Of all other requests, only those with
 * a valid key have one: a client without a key gets an answer, but cannot make the gateway send spans to the collector.
 */
function tracePlain(
  request: FastifyRequest,
  { status, sent, durationMs }: Answered,
  services: Pick<CallServices, 'metrics' | 'tracing'>,
): void {
  const { caller, call, id: requestId, errorCode: code } = request
  if (!caller || (call && sent === CLIENT_GONE)) return
  const trace = traceOf(request, services)
  if (trace && !trace.isEnded) services.tracing?.answered(trace, { requestId, caller, status, code, durationMs })
}

/**
 * The stream that the logger writes to. Pino's own serialization creates ten times the garbage, which is too much for every
 * request.
 */
function streamOf(log: Logger): { write(line: string): void } {
  return (log as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym]!
}

/** Formats the line as the logger would, and omits undefined fields. */
function lineOf(request: FastifyRequest, endpoint: string, status: number, durationMs: number): string {
  const { id, caller, call } = request
  const { record, spending, startedAt } = call ?? {}
  const { tokens, cost, estimated } = spending?.total ?? {}
  const { firstTokenAt = null } = record ?? {}
  const isRefused = status >= FIRST_ERROR_STATUS
  const line = {
    level: 'info',
    time: isoTime(Date.now()),
    request_id: id,
    trace_id: traceIdOf(request),
    endpoint,
    method: isRefused ? request.method : undefined,
    path: isRefused ? shownPath(request.url) : undefined,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    client: isRefused ? request.clientAddress : undefined,
    key_id: caller?.keyId,
    project: caller?.project,
    requested_model: record && requestedModel(record),
    model: record?.model?.slice(0, MAX_FIELD_CHARS),
    provider: record?.provider ?? undefined,
    attempts: record?.attempts.length,
    attempted: record && record.attempts.length > 1 ? attemptedOf(record) : undefined,
    upstream_ids: record && upstreamIdsOf(record),
    stream: record?.isStream,
    prompt_tokens: tokens ? inputOf(tokens) : undefined,
    completion_tokens: tokens ? outputOf(tokens) : undefined,
    cost,
    estimated: estimated || undefined,
    code: record?.code ?? request.errorCode,
    first_token_ms: firstTokenAt === null ? undefined : firstTokenAt - (startedAt ?? 0),
  }
  return `${JSON.stringify(line)}\n`
}

/** The name that the caller used, if the model that answered has another one. */
function requestedModel({ labels: { requestedModel: name }, model }: CallRecord): string | undefined {
  return name !== null && name !== model ? name.slice(0, MAX_FIELD_CHARS) : undefined
}

/** `openai/gpt-4o-mini server_error`, for each attempt. */
function attemptedOf({ attempts }: CallRecord): string[] {
  return attempts.slice(-MAX_ATTEMPTS).map(({ model, outcome }) => `${model.slice(0, MAX_FIELD_CHARS)} ${outcome}`)
}

/** The ids that providers gave to the attempts. */
function upstreamIdsOf({ attempts }: CallRecord): string[] | undefined {
  const ids = attempts.slice(-MAX_ATTEMPTS).flatMap(({ wire }) => wire.upstreamId ?? [])
  return ids.length > 0 ? ids : undefined
}
