import { Server as NetServer } from 'node:net'
import type { Server } from 'node:http'

/**
 * Accepts no more connections, and keeps those that are open. The `close` of an HTTP server would also close idle connections,
 * although a proxy may be sending a request on one of them at this moment. The proxy could not repeat it elsewhere.
 */
export function stopListening(server: Server): void {
  if (server.listening) NetServer.prototype.close.call(server)
}

export function hasConnections(server: Server): Promise<boolean> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(Boolean(error) || count > 0)))
}
