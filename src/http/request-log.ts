import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import { type Logger, symbols } from 'pino'
import { inputOf, outputOf } from '../billing/token-buckets.ts'
import type { Call } from '../calls/call.ts'
import type { AppContext } from '../app/context.ts'
import type { Route } from './services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for requests that reach a model. */
    call: Call | undefined
    /** `POST /v3/chat/completions`, or `unknown`. */
    endpoint: string
  }
  interface FastifyContextConfig {
    route?: Route
  }
}

const MAX_FIELD_CHARS = 200

/**
 * Writes one log line and one count per request: ids, names and numbers. Never a key, a prompt, an answer or a query
 * string.
 */
export function logRequest(request: FastifyRequest, sent: number, { metrics }: AppContext, log: Logger): void {
  const { call, endpoint } = request
  const status = call?.status ?? sent
  const durationMs = performance.now() - request.startedAt
  metrics.answered(endpoint, status, durationMs / 1000)
  if (log.isLevelEnabled('info')) streamOf(log).write(lineOf(request, endpoint, status, durationMs))
}

/**
 * The stream that the logger writes to. Pino's own serialization creates ten times the garbage, which is too much for every
 * request.
 */
function streamOf(log: Logger): { write(line: string): void } {
  return (log as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym]!
}

/** Formats the line as the logger would, and omits undefined fields. */
function lineOf({ id, caller, call }: FastifyRequest, endpoint: string, status: number, durationMs: number): string {
  const tokens = call?.tokens
  const line = {
    level: 'info',
    time: Date.now(),
    request_id: id,
    endpoint,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    key_id: caller?.keyId,
    model: call?.model?.slice(0, MAX_FIELD_CHARS),
    provider: call?.provider ?? undefined,
    attempts: call?.attempts.length,
    stream: call?.stream,
    prompt_tokens: tokens ? inputOf(tokens) : undefined,
    completion_tokens: tokens ? outputOf(tokens) : undefined,
    cost: call?.cost,
    estimated: call?.estimated || undefined,
    code: call?.code ?? undefined,
    first_token_ms: call && call.firstTokenAt !== null ? call.firstTokenAt - call.startedAt : undefined,
  }
  return `${JSON.stringify(line)}\n`
}
