import type { FastifyRequest } from 'fastify'
import type { HttpServices } from '../services.ts'

/**
 * This header goes into commands that people paste into a shell, so only a plain name or address with a port is accepted.
 */
const PLAIN_HOST = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i

/** The address that the operator gives for a listener: PUBLIC_URL or ADMIN_URL. */
export function statedUrl({ context: { config }, listener }: HttpServices): string | undefined {
  return listener === 'admin' ? config.adminUrl : config.publicUrl
}

/** The address of the listener that a request reached: the stated one, or the one that the client used. */
export function ownUrl(request: FastifyRequest, services: HttpServices): string {
  return statedUrl(services) ?? usedUrl(request, services)
}

function usedUrl({ headers, raw }: FastifyRequest, { context: { config }, listener }: HttpServices): string {
  // A proxy that terminates TLS sets the header. A sample with http:// would send the key unencrypted.
  const isEncrypted = 'encrypted' in raw.socket || headers['x-forwarded-proto'] === 'https'
  const scheme = isEncrypted ? 'https' : 'http'
  if (headers.host !== undefined && PLAIN_HOST.test(headers.host)) return `${scheme}://${headers.host}`
  const [host, port] = listener === 'admin' ? [config.adminHost, config.adminPort] : [config.host, config.port]
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** A name of this machine itself, with or without a port. */
const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)(?::\d{1,5})?$/i

/**
 * The address of the other listener, for readers who can reach it. Callers of the API are not told where the admin listener
 * is, unless they are on the same machine.
 */
export function otherUrl({ headers, raw }: FastifyRequest, services: HttpServices): string | undefined {
  const { config, links } = services.context
  if (services.listener === 'admin') return links.base()
  if (!LOOPBACK_HOST.test(headers.host ?? '')) return undefined
  const scheme = 'encrypted' in raw.socket ? 'https' : 'http'
  return config.adminUrl ?? `${scheme}://${headers.host!.replace(/:\d+$/, '')}:${config.adminPort}`
}
