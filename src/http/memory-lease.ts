import type { FastifyRequest } from 'fastify'
import { GATEWAY_OWNER } from '../wire/wire.ts'
import type { MemoryLease } from '../calls/memory-budget.ts'
import type { AppContext } from '../app/context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What this request holds of the memory that all share. Opened by the first who counts, closed with the reply. */
    memory: MemoryLease | undefined
  }
}

export function leaseOf(request: FastifyRequest, { memory }: Pick<AppContext, 'memory'>): MemoryLease {
  if (request.memory) return request.memory
  request.memory = memory.lease(ownerOf(request))
  // The reply of who has left meanwhile has closed already, and will not close this one.
  if (request.raw.socket.destroyed) request.memory.close()
  return request.memory
}

/** Where no key is needed there is no caller. */
export function ownerOf({ caller }: { caller?: FastifyRequest['caller'] }): string {
  return caller?.owner ?? GATEWAY_OWNER
}

/** For what is read before there is a call: its lease ends with the reply, and so does the wait for it. */
export function readerOf(request: FastifyRequest, context: Pick<AppContext, 'memory'>) {
  return { owner: ownerOf(request), memory: leaseOf(request, context) }
}
