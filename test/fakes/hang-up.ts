import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const hungUp = new WeakSet<Socket>()

/** Ends the connection in the middle: FIN is an orderly close without the rest of the answer, RST tears it down. */
export function hangUp({ socket }: ServerResponse, how: 'fin' | 'rst'): void {
  if (!socket) return
  hungUp.add(socket)
  if (how === 'fin') socket.end()
  else socket.resetAndDestroy()
}

export function destroyOurselves(socket: Socket): void {
  hungUp.add(socket)
  socket.destroy()
}

/** Whether the fake itself closed the connection, so that this is not attributed to the client. */
export function wasHungUp(socket: Socket): boolean {
  return hungUp.has(socket)
}
