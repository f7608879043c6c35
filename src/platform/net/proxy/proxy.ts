import { Buffer } from 'node:buffer'

/** An HTTP proxy through which connections leave. */
export type HttpProxy = {
  /** The name of the setting, for messages. They never contain the address, which may hold a password. */
  readonly setting: string
  readonly isSecure: boolean
  readonly host: string
  readonly port: number
  /** The value of the header `proxy-authorization`. */
  readonly authorization: string | undefined
}

/** Reads an address that the config has checked. */
export function toProxy(setting: string, address: string): HttpProxy {
  const { protocol, hostname, port, username, password } = new URL(address)
  const isSecure = protocol === 'https:'
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    setting,
    isSecure,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSecure ? 443 : 80),
    authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
  }
}
