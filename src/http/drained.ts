import { once } from 'node:events'
import { ClientGone } from '../calls/client-gone.ts'
import type { OpenReply } from './open-reply.ts'

/** A client that takes nothing for this long has left without saying so. */
const STUCK_READER_MS = 60_000

/**
 * Waits until the client has taken what was written; ends with the call, and ends the call of who takes nothing. The timer
 * is the socket's own: it starts anew while bytes leave, so that who takes a large piece slowly is not taken for gone.
 */
export async function drained({ reply, call, controller }: OpenReply, stuckMs = STUCK_READER_MS): Promise<void> {
  const { raw } = reply
  const leave = () => controller.abort(new ClientGone())
  raw.setTimeout(stuckMs, leave)
  try {
    await once(raw, 'drain', { signal: call.signal })
  } finally {
    raw.off('timeout', leave).setTimeout(0)
  }
}
