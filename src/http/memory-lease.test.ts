import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { ClientGone } from '../calls/client-gone.ts'
import { MemoryBudget } from '../calls/memory-budget.ts'
import { memoryLeaseOf } from './memory-lease.ts'

test('the lease of a client that has left before it was opened holds nothing', async () => {
  const memory = new MemoryBudget({ capacity: 100 })
  const lease = memoryLeaseOf(requestOf({ destroyed: true }), { memory })
  assert.equal(lease.tryHold(10), false)
  await assert.rejects(lease.hold(10), ClientGone)
  assert.equal(memory.held, 0)
})

test('a request without a caller has a lease like any other, and only one', () => {
  const memory = new MemoryBudget({ capacity: 100 })
  const request = requestOf({ destroyed: false })
  assert.equal(memoryLeaseOf(request, { memory }).tryHold(10), true)
  assert.equal(memoryLeaseOf(request, { memory }), request.memory)
})

function requestOf(socket: { destroyed: boolean }): FastifyRequest {
  return { raw: { socket } } as FastifyRequest
}
