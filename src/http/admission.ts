import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../contract/problems.ts'
import { OVERLOADED } from './health.ts'
import type { HttpServices } from './services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner among whose places this request has one, until its answer is closed. */
    admittedFor: string | undefined
  }
}

/** A body whose length is not told is taken for this large. */
const UNTOLD_BYTES = 1024 * 1024

/** Takes a place for the request among those of its owner; the problem to answer with where there is none. */
export function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  owner: string,
  { health, shedsLoad }: HttpServices,
): Problem | undefined {
  // Whoever left while its key was looked up has given back nothing, and would never do so.
  if (!shedsLoad || request.admittedFor === owner || reply.raw.closed) return undefined
  if (!health.admit(owner, bytesOf(request))) return OVERLOADED
  if (request.admittedFor !== undefined) health.dismiss(request.admittedFor)
  request.admittedFor = owner
  return undefined
}

function bytesOf({ headers }: FastifyRequest): number {
  const length = headers['content-length']
  if (length !== undefined) return Number(length) || 0
  return headers['transfer-encoding'] === undefined ? 0 : UNTOLD_BYTES
}
