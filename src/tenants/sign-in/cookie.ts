import type { Config } from '../../platform/config/config.ts'
import type { Listener } from '../../platform/store/people/sessions.ts'

// The cookie of a session. `__Host-` makes browsers refuse it without `Secure` and from other hosts. Over plain http that is
// not possible, so a listener that only this machine can reach has a cookie of another name. Browsers do not tell ports apart, so
// the page on the API listener has a cookie of another name, too.

type CookieSettings = Pick<Config, 'adminHost' | 'adminUrl' | 'host' | 'publicUrl' | 'tlsCertFile'>

const MAX_COOKIE_CHARS = 8_192

export function cookieName(settings: CookieSettings, listener: Listener = 'admin'): string {
  const name = listener === 'api' ? 'gatehouse-device' : 'gatehouse'
  return isSecure(settings, listener) ? `__Host-${name}` : name
}

/** Undefined if there is none, or if there are two: an attacker may have planted one of them. */
export function readCookie(
  header: string | undefined,
  settings: CookieSettings,
  { suffix = '', listener = 'admin' as Listener } = {},
): string | undefined {
  if (header === undefined || header.length > MAX_COOKIE_CHARS) return undefined
  const prefix = `${cookieName(settings, listener)}${suffix}=`
  const found = header.split(';').flatMap((part) => (part.trim().startsWith(prefix) ? [part.trim()] : []))
  return found.length === 1 ? found[0]!.slice(prefix.length) : undefined
}

/** The cookie ends with the session; the session may end before. */
export function sessionCookie(
  token: string,
  seconds: number,
  settings: CookieSettings,
  listener: Listener = 'admin',
): string {
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${isSecure(settings, listener) ? '; Secure' : ''}`
  return `${cookieName(settings, listener)}=${token}; ${flags}`
}

export function endedCookie(settings: CookieSettings, listener: Listener = 'admin'): string {
  return sessionCookie('', 0, settings, listener)
}

/**
 * Holds what a sign-in with a provider has to remember. It is Lax, because the provider's page leads back here: browsers send no
 * Strict cookie then.
 */
export function flowCookie(
  value: string,
  seconds: number,
  settings: CookieSettings,
  listener: Listener = 'admin',
): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure(settings, listener) ? '; Secure' : ''}`
  return `${cookieName(settings, listener)}${FLOW_COOKIE}=${value}; ${flags}`
}

export const FLOW_COOKIE = '-sign-in'

/** On the API listener: what a program asks for, while the person signs in first. */
export function grantCookie(value: string, seconds: number, settings: CookieSettings): string {
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${isSecure(settings, 'api') ? '; Secure' : ''}`
  return `${cookieName(settings, 'api')}${GRANT_COOKIE}=${value}; ${flags}`
}

export const GRANT_COOKIE = '-grant'

/** Whether a browser that reached the listener at this address sends the cookies back: it drops those with `Secure` over plain http. */
export function isKeptAt(address: string, settings: CookieSettings, listener: Listener): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLoopback(hostname) || !isSecure(settings, listener)
}

function isLoopback(host: string): boolean {
  return /^(127(\.\d+){3}|::1|\[::1\]|localhost)$/.test(host)
}

function isSecure({ adminHost, adminUrl, host, publicUrl, tlsCertFile }: CookieSettings, listener: Listener): boolean {
  const [ownHost, url] = listener === 'api' ? [host, publicUrl] : [adminHost, adminUrl]
  return !isLoopback(ownHost) || tlsCertFile !== undefined || url?.startsWith('https:') === true
}
