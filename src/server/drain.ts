import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Health } from '../http/health.ts'
import { hasConnections, stopListening } from '../platform/net/stop-listening.ts'

/** A connection that its client has not used for this long is closed, unless there was no delay. */
const MAX_LINGER_MS = 1_000

/** Accepts requests for the delay, then no more connections, and returns when the requests are answered or out of time. */
export async function drain(
  api: FastifyInstance,
  health: Health,
  { delayMs, graceMs }: { delayMs: number; graceMs: number },
): Promise<void> {
  await sleep(delayMs)
  stopListening(api.server)
  const lingerMs = Math.min(delayMs, MAX_LINGER_MS)
  await health.drain({ graceMs, lingerMs, hasConnections: () => hasConnections(api.server) })
}
