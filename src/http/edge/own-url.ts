import type { FastifyRequest } from 'fastify'
import type { HttpServices } from '../route.ts'

/** The address that the operator gives for a listener: PUBLIC_URL or ADMIN_URL. */
export function statedUrl({ calls: { config }, listener }: HttpServices): string | undefined {
  return listener === 'admin' ? config.adminUrl : config.publicUrl
}

/** The address of the listener that a request reached: the stated one, or its own. */
export function ownUrl(request: FastifyRequest, services: HttpServices): string {
  return statedUrl(services) ?? reachedUrl(request, services)
}

/**
 * What pages and links say has to come from the operator or from the socket. A client chooses the Host of its request, and people
 * would send their keys there. Only names that lead nowhere else are taken from Host: those of this machine, and ADMIN_HOSTS.
 */
function reachedUrl({ headers, raw }: FastifyRequest, { calls: { config }, listener }: HttpServices): string {
  // A proxy that terminates TLS sets the header. A sample with http:// would send the key unencrypted.
  const isEncrypted = 'encrypted' in raw.socket || headers['x-forwarded-proto'] === 'https'
  const scheme = isEncrypted ? 'https' : 'http'
  const { host = '' } = headers
  if (LOOPBACK_HOST.test(host) || (listener === 'admin' && isNamed(host, config.adminHosts)))
    return `${scheme}://${host}`
  const [own, ownPort] = listener === 'admin' ? [config.adminHost, config.adminPort] : [config.host, config.port]
  const { localAddress = own, localPort = ownPort } = raw.socket
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/i, '')
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${localPort}`
}

const NAME_AND_PORT = /^([a-z0-9.-]{1,253})(?::\d{1,5})?$/i

function isNamed(host: string, names: readonly string[] = []): boolean {
  const name = NAME_AND_PORT.exec(host)?.[1]?.toLowerCase()
  return name !== undefined && names.some((one) => one.toLowerCase() === name)
}

/** A name of this machine itself, with or without a port. */
const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)(?::\d{1,5})?$/i

/**
 * The address of the other listener, for readers who can reach it. Callers of the API are not told where the admin listener
 * is, unless they are on the same machine.
 */
export function otherUrl({ headers, raw }: FastifyRequest, services: HttpServices): string | undefined {
  const { config, links } = services.calls
  if (services.listener === 'admin') return links.base()
  if (!LOOPBACK_HOST.test(headers.host ?? '')) return undefined
  const scheme = 'encrypted' in raw.socket ? 'https' : 'http'
  return config.adminUrl ?? `${scheme}://${headers.host!.replace(/:\d+$/, '')}:${config.adminPort}`
}
