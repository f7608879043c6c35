import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const UNCHANGED = { description: 'Not modified: its `ETag` equals your `If-None-Match`.' }

/** For long lists that seldom change: a client that has the current version gets a 304. */
export function sendWithEtag(request: FastifyRequest, reply: FastifyReply, body: object): FastifyReply {
  return sendTextWithEtag(request, reply, JSON.stringify(body), 'application/json')
}

export function sendTextWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  contentType: string,
): FastifyReply {
  const etag = `"${hash('sha256', text).slice(0, 32)}"`
  reply.header('etag', etag)
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.header('content-type', contentType).send(text)
}

export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (!header) return false
  return header.split(',').some((value) => ['*', etag].includes(value.trim().replace(/^W\//, '')))
}
