import { once } from 'node:events'
import { ClientGone } from '../core/call.ts'
import type { CallLine } from './call-line.ts'

/** A client that takes nothing for this long has left without saying so. */
const STUCK_READER_MS = 60_000

/** Waits until the client has taken what was written; ends with the call, and ends the call of who takes nothing. */
export async function drained({ reply, call, controller }: CallLine): Promise<void> {
  const timer = setTimeout(() => controller.abort(new ClientGone()), STUCK_READER_MS)
  try {
    await once(reply.raw, 'drain', { signal: call.signal })
  } finally {
    clearTimeout(timer)
  }
}
