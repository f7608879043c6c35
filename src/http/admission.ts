import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../contract/problems.ts'
import { OVERLOADED } from './health.ts'
import type { HttpServices } from './route.ts'
import { MB } from '../base/units/units.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner whose capacity this request uses until its answer is closed. */
    admittedFor: string | undefined
  }
}

/** The size that is assumed for a body of unknown length. */
const UNKNOWN_LENGTH_BYTES = MB

/** Takes a place for the request in its owner's capacity. Returns the problem to answer with if there is none. */
export function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  owner: string,
  { health, shedsLoad }: HttpServices,
): Problem | undefined {
  // A client that left while its key was being looked up would never give its place back.
  if (!shedsLoad || request.admittedFor === owner || reply.raw.closed) return undefined
  if (!health.admit(owner, bytesOf(request))) return OVERLOADED
  if (request.admittedFor !== undefined) health.dismiss(request.admittedFor)
  request.admittedFor = owner
  return undefined
}

function bytesOf({ headers }: FastifyRequest): number {
  const length = headers['content-length']
  if (length !== undefined) return Number(length) || 0
  return headers['transfer-encoding'] === undefined ? 0 : UNKNOWN_LENGTH_BYTES
}
