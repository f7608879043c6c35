import { signal } from '@preact/signals'
import { isAdmin } from '../read/page-facts.ts'

// Only here, in the memory of the page: no storage and no address ever has the key, and a reload forgets it.

export const key = signal('')

/** At the admin listener, a person who has signed in needs no key. */
export const usesSession = signal(isAdmin)

/** With the cookie of a session, the gateway takes only JSON. */
export function credentialOptions(isForm: boolean): {
  headers: Record<string, string>
  credentials: RequestCredentials
} {
  if (usesSession.value && !isForm) return { headers: {}, credentials: 'same-origin' }
  const headers: Record<string, string> = key.value === '' ? {} : { authorization: `Bearer ${key.value.trim()}` }
  return { headers, credentials: 'omit' }
}
