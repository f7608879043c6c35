import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { CallTrace } from '../../calls/call-trace.ts'
import type { JsonBody } from '../../translation/json/parse-body.ts'
import { readTraceContext } from '../../platform/telemetry/trace-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request, if requests are traced. */
    trace: CallTrace | undefined
  }
}

/** The span of a request. The first call of this function opens it; undefined if no collector is configured. */
export function traceOf(request: FastifyRequest, { tracing }: Pick<CallServices, 'tracing'>): CallTrace | undefined {
  if (!tracing) return undefined
  const { headers, endpoint, startedAt, body } = request
  request.trace ??= tracing.arrived({
    headers,
    name: endpoint,
    beforeMs: performance.now() - startedAt,
    body: (body as JsonBody | undefined)?.value,
  })
  return request.trace
}

/** The trace that the log line of a request belongs to: ours, or else the caller's. */
export function traceIdOf({ trace, headers }: FastifyRequest): string | undefined {
  return trace?.traceId ?? readTraceContext(headers.traceparent)?.traceId
}
