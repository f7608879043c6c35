import { isIP } from 'node:net'
import { isPublicName } from './names.ts'
import { mayReach, type Policy } from './policy.ts'
import { isWebPort, portOf } from './ports.ts'
import { EgressRefused } from './refusal.ts'

const MAX_CHARACTERS = 2_083

/**
 * Makes all checks of a URL that need no network. The returned URL is the one that is dialled. The text is never parsed
 * again, so no second parser can find another host in it. Throws EgressRefused.
 */
export function checkUrl(text: string, policy: Policy & { requireHttps?: boolean }): URL {
  const url = parseUrl(text)
  if (!isAcceptedScheme(url, policy)) throw new EgressRefused('scheme')
  if (url.username !== '' || url.password !== '') throw new EgressRefused('userinfo')
  if (!isWebPort(portOf(url))) throw new EgressRefused('port')
  const address = literalOf(url)
  if (address === undefined && !isPublicName(url.hostname)) throw new EgressRefused('name')
  if (address !== undefined && !mayReach(address, url, policy)) throw new EgressRefused('address')
  return url
}

/** The IP address, if the host is one. The parser has already normalized 127.1, 0x7f.1 and similar forms. */
export function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? undefined : bare
}

function parseUrl(text: string): URL {
  const url = text.length <= MAX_CHARACTERS ? URL.parse(text) : null
  if (!url) throw new EgressRefused('url')
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  return url
}

/**
 * Whether a name with http is in the allowed networks is known only when it is resolved. Without allowed networks it cannot
 * be.
 */
function isAcceptedScheme({ protocol }: URL, { allow, requireHttps }: Policy & { requireHttps?: boolean }): boolean {
  return protocol === 'https:' || (protocol === 'http:' && !requireHttps && allow.length > 0)
}
