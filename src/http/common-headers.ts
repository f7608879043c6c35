import type { FastifyRequest } from 'fastify'
import type { Health } from './health.ts'

/** On every answer: an id to ask about, and a word to caches that it belongs to one caller only. */
export function commonHeaders({ id }: FastifyRequest, { draining }: Health): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': id,
    'cache-control': 'no-store',
    vary: 'Authorization',
    'x-content-type-options': 'nosniff',
  }
  // A client that keeps its connection would ask us again although we are leaving.
  if (draining) headers.connection = 'close'
  return headers
}
