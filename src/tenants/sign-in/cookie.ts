import type { Config } from '../../platform/config/config.ts'

// The cookie of a session. `__Host-` makes browsers refuse it without `Secure` and from other hosts. Over plain http that is
// not possible, so a listener that only this machine can reach has a cookie of another name.

type CookieSettings = Pick<Config, 'adminHost' | 'adminUrl' | 'tlsCertFile'>

const MAX_COOKIE_CHARS = 8_192

export function cookieName(settings: CookieSettings): string {
  return isSecure(settings) ? '__Host-gatehouse' : 'gatehouse'
}

/** Undefined if there is none, or if there are two: an attacker may have planted one of them. */
export function readCookie(header: string | undefined, settings: CookieSettings, suffix = ''): string | undefined {
  if (header === undefined || header.length > MAX_COOKIE_CHARS) return undefined
  const prefix = `${cookieName(settings)}${suffix}=`
  const found = header.split(';').flatMap((part) => (part.trim().startsWith(prefix) ? [part.trim()] : []))
  return found.length === 1 ? found[0]!.slice(prefix.length) : undefined
}

/** The cookie ends with the session; the session may end before. */
export function sessionCookie(token: string, seconds: number, settings: CookieSettings): string {
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${isSecure(settings) ? '; Secure' : ''}`
  return `${cookieName(settings)}=${token}; ${flags}`
}

export function endedCookie(settings: CookieSettings): string {
  return sessionCookie('', 0, settings)
}

/**
 * Holds what a sign-in with a provider has to remember. It is Lax, because the provider's page leads back here: browsers send no
 * Strict cookie then.
 */
export function flowCookie(value: string, seconds: number, settings: CookieSettings): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure(settings) ? '; Secure' : ''}`
  return `${cookieName(settings)}${FLOW_COOKIE}=${value}; ${flags}`
}

export const FLOW_COOKIE = '-sign-in'

function isSecure({ adminHost, adminUrl, tlsCertFile }: CookieSettings): boolean {
  const isLoopback = /^(127(\.\d+){3}|::1|\[::1\]|localhost)$/.test(adminHost)
  return !isLoopback || tlsCertFile !== undefined || adminUrl?.startsWith('https:') === true
}
