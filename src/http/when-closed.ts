import type { ServerResponse } from 'node:http'

/** Calls this when the answer has ended, or the client has gone. A client may have gone before: then there is no event any more. */
export function whenClosed(raw: ServerResponse, call: () => void): void {
  if (raw.closed) call()
  else raw.once('close', call)
}
