import { signal } from '@preact/signals'

/** What the part of the address behind the `#` names: an operation, a chapter or an error. */
export const place = signal(placeOf(location.hash))

addEventListener('hashchange', () => (place.value = placeOf(location.hash)))

function placeOf(hash: string): string {
  return hash.slice(1) || 'start'
}
