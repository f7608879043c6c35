import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/**
 * Finds out whether a port can be opened, and returns its number, which for port 0 is any free one. Processes that share a
 * port would not notice that a stranger shares it too.
 */
export async function freePort(host: string, port: number): Promise<number> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening')
  const { port: found } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return found
}
