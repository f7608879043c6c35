import type { FastifyReply, FastifyRequest } from 'fastify'

/** How long a browser may keep the answer to a preflight. */
const MAX_AGE_SECONDS = 600
/** The names of headers, as a browser lists them. */
const HEADER_NAMES = /^[\w-]+(?:\s*,\s*[\w-]+)*$/
const METHODS = 'GET, POST, DELETE'
/** What a page may read of an answer, beside its body. */
const EXPOSED = [
  ...['x-request-id', 'request-id', 'retry-after', 'x-gatehouse-model', 'x-gatehouse-provider', 'x-gatehouse-cost'],
  ...['x-gatehouse-attempts', 'x-gatehouse-dropped-fields', 'x-gatehouse-estimate'],
].join(', ')

declare module 'fastify' {
  interface FastifyRequest {
    /** The value of `access-control-allow-origin`, if a page of an allowed origin asks. */
    allowedOrigin: string | undefined
  }
}

/** Notes whether a page of this origin may read the answer. Keys are in headers, so there are no cookies to protect. */
export function noteOrigin(request: FastifyRequest, allowed: readonly string[]): void {
  const { origin } = request.headers
  if (origin === undefined || allowed.length === 0) return
  if (allowed.includes('*')) request.allowedOrigin = '*'
  else if (allowed.includes(origin.toLowerCase())) request.allowedOrigin = origin
}

/** For the answers of requests with an allowed origin. */
export function originHeaders(origin: string): string[] {
  return ['access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED]
}

/** Whether a browser asks what a page may send, before it sends that. */
export function isPreflight({ method, headers, allowedOrigin }: FastifyRequest): boolean {
  return method === 'OPTIONS' && allowedOrigin !== undefined && headers['access-control-request-method'] !== undefined
}

export function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): void {
  const requestedHeaders = headers['access-control-request-headers']
  reply.header('access-control-allow-methods', METHODS)
  if (requestedHeaders !== undefined && HEADER_NAMES.test(requestedHeaders))
    reply.header('access-control-allow-headers', requestedHeaders)
  void reply.header('access-control-max-age', MAX_AGE_SECONDS).code(204).send()
}
