import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Systems choose ports for outgoing connections above this range, so a port in it stays free for a moment. */
const CHOSEN_FROM = 20_000
const CHOSEN_TO = 32_000
const TRIES = 50

/**
 * Finds out whether a port can be opened, and returns its number, which for port 0 is any free one. Processes that share a
 * port would not notice that a stranger shares it too.
 */
export async function freePort(host: string, port: number): Promise<number> {
  if (port !== 0) return await openAndClose(host, port)
  for (let tries = 1; tries < TRIES; tries++) {
    const found = await openAndClose(host, randomInt(CHOSEN_FROM, CHOSEN_TO)).catch(unlessInUse)
    if (found !== undefined) return found
  }
  return await openAndClose(host, 0)
}

async function openAndClose(host: string, port: number): Promise<number> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening')
  const { port: found } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return found
}

function unlessInUse(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EADDRINUSE') throw error
}
