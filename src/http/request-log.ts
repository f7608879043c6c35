import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { inputOf, outputOf } from '../core/account.ts'
import type { Call } from '../core/call.ts'
import type { Outside } from '../core/outside.ts'
import type { Route } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Present on requests that reach a model. */
    call: Call | undefined
  }
  interface FastifyContextConfig {
    route?: Route
  }
}

/** One line and one count per request: ids, names, numbers. Never a key, a prompt, an answer or a query string. */
export function logRequest(request: FastifyRequest, reply: FastifyReply, { metrics }: Outside, log: Logger): void {
  const { call } = request
  const route = request.routeOptions.config?.route
  const endpoint = route ? `${route.method} ${route.path}` : 'unknown'
  const status = call?.status ?? reply.statusCode
  const durationMs = performance.now() - request.startedAt
  metrics.requests.add([endpoint, String(status)])
  metrics.durations.observe([endpoint], durationMs / 1000)
  if (!log.isLevelEnabled('info')) return
  log.info({
    request_id: request.id,
    endpoint,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    ...(request.caller && { key_id: request.caller.keyId }),
    ...(call && callFields(call)),
  })
}

function callFields({
  model,
  provider,
  attempts,
  stream,
  tokens,
  cost,
  estimated,
  code,
  firstTokenAt,
  startedAt,
}: Call) {
  return {
    model: model?.slice(0, 200),
    provider,
    attempts: attempts.length,
    stream,
    ...(tokens && { prompt_tokens: inputOf(tokens), completion_tokens: outputOf(tokens) }),
    cost,
    ...(estimated && { estimated }),
    ...(code && { code }),
    ...(firstTokenAt !== null && { first_token_ms: firstTokenAt - startedAt }),
  }
}
