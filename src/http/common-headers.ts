import type { FastifyReply, FastifyRequest } from 'fastify'
import { originHeaders } from './entry/cors.ts'
import type { Health } from './health.ts'

/** Name, value, name, value: Node accepts this form without creating objects. */
export type HeaderList = readonly string[]

/** The headers of every answer: a request id, and the instruction that caches must not share it between callers. */
export function commonHeaders({ id, allowedOrigin }: FastifyRequest, { draining }: Health): string[] {
  const headers = ['x-request-id', id, ...(allowedOrigin === undefined ? FIXED : FOR_PAGES)]
  if (allowedOrigin !== undefined) headers.push(...originHeaders(allowedOrigin))
  // Otherwise a client would reuse its connection although the process is about to end.
  if (draining) headers.push('connection', 'close')
  return headers
}

/** The answer to a page of another origin differs from the answer to a program. */
const FOR_PAGES = ['cache-control', 'no-store', 'vary', 'Authorization, Origin', 'x-content-type-options', 'nosniff']
const FIXED = ['cache-control', 'no-store', 'vary', 'Authorization', 'x-content-type-options', 'nosniff']

/** For answers that the framework sends. Headers that are already set stay. */
export function addHeaders(reply: FastifyReply, headers: HeaderList): FastifyReply {
  for (let at = 0; at < headers.length; at += 2) {
    if (!reply.hasHeader(headers[at]!)) reply.header(headers[at]!, headers[at + 1]!)
  }
  return reply
}
