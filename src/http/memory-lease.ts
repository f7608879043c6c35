import type { FastifyRequest } from 'fastify'
import { GATEWAY_OWNER } from '../translation/wire/wire.ts'
import type { MemoryLease } from '../calls/memory-budget.ts'
import type { CallServices } from '../calls/services/call-services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory that this request has reserved. The first reservation opens it, and the end of the reply closes it. */
    memory: MemoryLease | undefined
  }
}

export function memoryLeaseOf(request: FastifyRequest, { memory }: Pick<CallServices, 'memory'>): MemoryLease {
  if (request.memory) return request.memory
  request.memory = memory.lease(ownerOf(request))
  // If the client left in the meantime, its reply is already closed and will not close this lease.
  if (request.raw.socket.destroyed) request.memory.close()
  return request.memory
}

/** Requests that need no key have no caller. */
export function ownerOf({ caller }: { caller?: FastifyRequest['caller'] }): string {
  return caller?.owner ?? GATEWAY_OWNER
}

/** For bodies that are read before there is a call. The lease ends with the reply, and so does the wait for memory. */
export function readerOf(request: FastifyRequest, services: Pick<CallServices, 'memory'>) {
  return { owner: ownerOf(request), memory: memoryLeaseOf(request, services) }
}
