import { ConfigError } from './config-error.ts'

// What the gateway has to know about the way between its clients and itself: its addresses, the proxies, its certificate.

/** Scheme, host and path without anything that a shell or a page could take for its own syntax. */
const PLAIN_ADDRESS = /^https?:\/\/[a-z0-9.:[\]_~%/-]+$/i

/**
 * An address of the gateway as others see it, without a slash at its end. It is written into links, pages and commands, so it
 * must not contain a secret, and it consists of plain characters.
 */
export function ownAddress(value: unknown): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isBare = url && !(url.username || url.password || url.search || url.hash)
  if (isBare && PLAIN_ADDRESS.test(url.href)) return url.href.replace(/(?<!\/)\/+$/, '')
  throw new ConfigError('should be an http:// or https:// address with only a host and a path')
}

/** A list, or one text with commas between its items. A single address is a network of one address. */
export function networkList(value: unknown): readonly string[] {
  const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : undefined
  if (!items?.every((item) => typeof item === 'string')) throw new ConfigError('should be networks, as in 10.0.0.0/8')
  return items.map((item) => asNetwork(item.trim()))
}

function asNetwork(item: string): string {
  if (/^[\d.]+$/.test(item)) return `${item}/32`
  return /^[\da-f:.]+$/i.test(item) && item.includes(':') ? `${item}/128` : item
}

/** A certificate is of no use without its key. */
export function checkTlsFiles({ tlsCertFile, tlsKeyFile }: { tlsCertFile?: unknown; tlsKeyFile?: unknown }): void {
  if (tlsCertFile && !tlsKeyFile) throw new ConfigError('TLS_KEY_FILE: should be set, because TLS_CERT_FILE is set')
  if (tlsKeyFile && !tlsCertFile) throw new ConfigError('TLS_CERT_FILE: should be set, because TLS_KEY_FILE is set')
}
