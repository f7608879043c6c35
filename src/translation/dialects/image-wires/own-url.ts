import type { Target } from '../chat-codec.ts'
import { nonsense } from './image-answer.ts'

/**
 * A URL from an answer that will be requested with our credential: it has to be the provider's own. `family` is the domain
 * of all of the provider's hosts; if the operator changed the base URL, only that origin is allowed.
 */
export function ownUrl(value: unknown, { baseUrl }: Target, family: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (url && !url.username && !url.password && isOwn(url, new URL(baseUrl), family)) return url.href
  throw nonsense('a URL that is not its own')
}

/** An id that becomes part of a path: it must not lead elsewhere. */
export function ticketId(value: unknown): string {
  if (typeof value === 'string' && /^[\w-][\w.:-]{0,199}$/.test(value)) return value
  throw nonsense('a ticket without a valid id')
}

function isOwn(url: URL, base: URL, family: string): boolean {
  if (url.origin === base.origin) return true
  const isKin = ({ hostname }: URL) => hostname === family || hostname.endsWith(`.${family}`)
  return url.protocol === 'https:' && url.port === '' && isKin(url) && isKin(base)
}
