import type { Target } from '../chat-codec.ts'
import { nonsense } from './image-answer.ts'

/**
 * An address that an answer names, and that is asked next, with our credential: it has to be the provider's own. `family`
 * is the domain that all of the provider's hosts stand in; an address that the operator moved has no family but itself.
 */
export function ownUrl(value: unknown, { baseUrl }: Target, family: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (url && !url.username && !url.password && isOwn(url, new URL(baseUrl), family)) return url.href
  throw nonsense('an address that is not its own')
}

/** An id that becomes part of a path: nothing in it may lead elsewhere. */
export function ticketId(value: unknown): string {
  if (typeof value === 'string' && /^[\w-][\w.:-]{0,199}$/.test(value)) return value
  throw nonsense('a ticket that has no number')
}

function isOwn(url: URL, base: URL, family: string): boolean {
  if (url.origin === base.origin) return true
  const isKin = ({ hostname }: URL) => hostname === family || hostname.endsWith(`.${family}`)
  return url.protocol === 'https:' && url.port === '' && isKin(url) && isKin(base)
}
