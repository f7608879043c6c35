import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Gateway } from '../gateway.ts'
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

/** Listens, and returns the address as a person would type it. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  await withAdvice(app.listen({ host, port }), host, port)
  return addressOf(app.server.address() as AddressInfo)
}

/** An address or a port that cannot be used becomes a sentence that says what to set. */
export async function withAdvice<T>(opening: PromiseLike<T>, host: string, port: number): Promise<T> {
  try {
    return await opening
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code && Object.hasOwn(ADVICE, code) ? new UsageError(ADVICE[code]!(host, port)) : error
  }
}

export function addressOf({ address, port }: { address: string | null; port: number }): string {
  const anywhere = !address || address === '0.0.0.0' || address === '::'
  return `http://${anywhere ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address}:${port}`
}
