import type { FastifyRequest } from 'fastify'
import type { MemoryLease } from '../core/memory-budget.ts'
import type { Outside } from '../core/outside.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What this request holds of the memory that all share. Opened by the first who counts, closed with the reply. */
    memory: MemoryLease | undefined
  }
}

export function leaseOf(request: FastifyRequest, { memory }: Pick<Outside, 'memory'>): MemoryLease {
  request.memory ??= memory.lease(request.caller.owner)
  return request.memory
}
