import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Health } from './health.ts'

/** Name, value, name, value: Node takes them so without making objects of them. */
export type HeaderList = readonly string[]

/** On every answer: an id to ask about, and a word to caches that it belongs to one caller only. */
export function commonHeaders({ id }: FastifyRequest, { draining }: Health): string[] {
  const headers = ['x-request-id', id, ...FIXED]
  // A client that keeps its connection would ask us again although we are leaving.
  if (draining) headers.push('connection', 'close')
  return headers
}

const FIXED = ['cache-control', 'no-store', 'vary', 'Authorization', 'x-content-type-options', 'nosniff']

/** For an answer that the framework sends: what is set already stays. */
export function addHeaders(reply: FastifyReply, headers: HeaderList): FastifyReply {
  for (let at = 0; at < headers.length; at += 2) {
    if (!reply.hasHeader(headers[at]!)) reply.header(headers[at]!, headers[at + 1]!)
  }
  return reply
}
