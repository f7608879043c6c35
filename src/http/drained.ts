import { once } from 'node:events'
import { ClientGone } from '../calls/client-gone.ts'
import type { OpenReply } from './open-reply.ts'

/** A client that accepts nothing for this long is considered gone. */
const STUCK_READER_MS = 60_000

/**
 * Waits until the client has accepted what was written. The wait ends with the call, and aborts the call of a client that
 * accepts nothing. It uses the socket's own timer, which restarts whenever bytes leave, so that a slow reader of a large
 * piece is not considered gone.
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
