import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Gateway } from '../server/gateway.ts'
import { listeningUrl } from '../platform/net/addresses/listening-url.ts'
import { freePort } from '../platform/net/free-port.ts'
import { UsageError } from './usage-error.ts'

const notOurs = (host: string) =>
  `This machine has no address ${host}. Set HOST (or ADMIN_HOST) to an address of this machine, or to 0.0.0.0.`

const ADVICE: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (_, port) =>
    `Port ${port} is in use by another program. Set PORT (or ADMIN_PORT) to a free port, or to 0.`,
  EACCES: (_, port) => `This user may not open port ${port}. Set PORT (or ADMIN_PORT) to a port above 1023.`,
  EADDRNOTAVAIL: notOurs,
  ENOTFOUND: notOurs,
  EAI_AGAIN: notOurs,
}

/**
 * If a start fails half way, everything that it has opened is closed. Otherwise the process would stay up with half a
 * gateway.
 */
export async function orClosed<T>({ close }: Pick<Gateway, 'close'>, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    await close()
    throw error
  }
}

/** Listens, and returns the address as a person would type it. With `isShared`, other processes may open the same port. */
export async function listen(app: FastifyInstance, host: string, port: number, isShared = false): Promise<string> {
  // Elsewhere the primary process opens the port and hands out connections (node:cluster).
  const options: ListenOptions = { host, port, reusePort: isShared && process.platform === 'linux' }
  await app.listen(options).catch(advise(host, port))
  return listeningUrl(app.server.address() as AddressInfo, 'setSecureContext' in app.server)
}

/** Finds a port that all API processes can open. With `PORT=0` it stays the same even if all of them die at once. */
export function portFor(host: string, port: number): Promise<number> {
  return freePort(host, port).catch(advise(host, port))
}

/** Fastify passes on what it does not know. */
type ListenOptions = { host: string; port: number; reusePort: boolean }

function advise(host: string, port: number): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    throw error.code && Object.hasOwn(ADVICE, error.code) ? new UsageError(ADVICE[error.code]!(host, port)) : error
  }
}
